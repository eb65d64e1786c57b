// Help texts, printed from the declarations of commands and options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace lethe::app {

// Usage, purpose, commands or options with their defaults, examples (the footer of the command) and
// exit statuses.
std::string help_text(const CLI::App& command);

// Usage, purpose and commands: for `lethe` alone.
std::string short_help_text(const CLI::App& app);

// "lethe data check"
std::string full_name(const CLI::App& command);

// Makes help_text() the answer to --help, here and in all commands added later.
void use_help_text(CLI::App& app);

}  // namespace lethe::app
