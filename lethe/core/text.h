// Small pieces of text for messages and tables: names from the user's files, and counted things.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lethe {

// The text on one line: control characters become escapes such as \n, \t and \x1b. A class is
// called as its folder or its line in a list, so its name may contain any of them.
std::string visible(std::string_view text);

// "1 class", "2 classes". Without a plural, an "s" is added to the noun.
std::string counted(int64_t count, std::string_view noun, std::string_view plural = {});

}  // namespace lethe
