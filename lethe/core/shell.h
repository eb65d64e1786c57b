// Words of a command line, as a shell reads them back: commands that we print can be pasted.
#pragma once

#include <string>

namespace lethe {

// "runs/a" stays, "my run" becomes 'my run'.
std::string shell_quoted(const std::string& word);

}  // namespace lethe
