// Shell quoting, so that printed commands can be pasted.
#pragma once

#include <string>

namespace lethe {

// Quotes a word if necessary: runs/a is unchanged, my run becomes 'my run'.
std::string shell_quoted(const std::string& word);

}  // namespace lethe
