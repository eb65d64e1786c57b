#include "apps/lethe/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lethe::app {

namespace {

constexpr size_t kWidth = 80;
constexpr size_t kWidestName = 22;  // longer names have their text on the next line

constexpr const char* kExitStatus =
    "exit status: 0 done, 1 the run failed, 2 bad command line or configuration,\n"
    "             3 unreadable data or model file, 4 a check did not pass,\n"
    "             130 stopped by Ctrl-C, 143 stopped by SIGTERM\n";

// Words in lines of at most kWidth columns. The first line starts at column `start`, the others are
// indented.
std::string wrapped(const std::string& text, size_t start, size_t indent) {
  std::string result;
  size_t column = start;
  size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    if (column > indent && column + 1 + word.size() > kWidth) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (at > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    at = end + 1;
  }
  return result + '\n';
}

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string table(const Rows& rows) {
  size_t width = 0;
  for (const auto& [name, text] : rows) {
    if (name.size() <= kWidestName) width = std::max(width, name.size());
  }
  const size_t indent = width + 4;
  std::string result;
  for (const auto& [name, text] : rows) {
    auto line = "  " + name;
    if (line.size() + 2 > indent) line += '\n' + std::string(indent, ' ');
    if (line.size() < indent) line.resize(indent, ' ');
    result += line + wrapped(text, indent, indent);
  }
  return result;
}

// "N" of "N:INT in [1 - 1024]", which CLI11 makes of a name and its checks.
std::string type_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  return option.get_items_expected_max() == 0 ? "" : type.substr(0, type.find(':'));
}

// "KEY=VALUE" of "--set KEY=VALUE"
std::string argument_of(const CLI::Option& option) {
  const auto type = type_of(option);
  if (type.empty()) return "";
  return option.get_items_expected_min() == 0 ? " [" + type + "]" : " " + type;
}

// "--set KEY=VALUE", "-q, --quiet", "CONFIG"
std::string name_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string names;
  for (const auto& name : option.get_snames()) names += "-" + name + ", ";
  return names + option.get_name() + argument_of(option);
}

std::string usage_of(const CLI::Option& option) {
  const auto name = option.get_name(option.get_positional());
  if (option.get_positional()) return option.get_required() ? name : "[" + name + "]";
  const bool repeats = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll &&
                       option.get_delimiter() == '\0';
  return "[" + name + argument_of(option) + "]" + (repeats ? "..." : "");
}

std::string text_of(const CLI::Option& option) {
  auto text = option.get_description();
  if (!option.get_envname().empty())
    text += fmt::format(" [default: the environment variable {}]", option.get_envname());
  if (!option.get_default_str().empty())
    text += fmt::format(" [default: {}]", option.get_default_str());
  return text;
}

// Positional ones first, as in the usage line.
std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  auto options = app.get_options([&](const CLI::Option* option) {
    return !option->get_group().empty() && option != app.get_help_ptr();
  });
  std::stable_partition(options.begin(), options.end(),
                        [](const CLI::Option* option) { return option->get_positional(); });
  return options;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::string usage(const CLI::App& command) {
  auto text = "usage: " + full_name(command);
  const auto indent = text.size() + 1;
  if (!commands_of(command).empty()) text += " COMMAND";
  for (const auto* option : options_of(command)) {
    // A blank that may not be broken inside the brackets.
    auto part = usage_of(*option);
    std::replace(part.begin(), part.end(), ' ', '\x1f');
    text += ' ' + part;
  }
  text = wrapped(text, 0, indent);
  std::replace(text.begin(), text.end(), '\x1f', ' ');
  return text;
}

// The purpose is the first line of a description.
std::string purpose(const CLI::App& command) {
  const auto text = command.get_description();
  return text.substr(0, text.find('\n'));
}

std::string commands(const CLI::App& app) {
  Rows rows;
  for (const auto* sub : commands_of(app)) rows.emplace_back(sub->get_name(), purpose(*sub));
  return table(rows);
}

const CLI::App& root_of(const CLI::App& command) {
  const auto* at = &command;
  while (at->get_parent() != nullptr) at = at->get_parent();
  return *at;
}

}  // namespace

std::string full_name(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + ' ' + command.get_name();
}

std::string help_text(const CLI::App& command) {
  auto text = usage(command);
  const auto description = command.get_description();
  for (size_t at = 0; at < description.size();) {
    const auto end = std::min(description.find('\n', at), description.size());
    text += wrapped(description.substr(at, end - at), 0, 0);
    at = end + 1;
  }
  if (const auto list = commands(command); !list.empty()) text += "commands:\n" + list;
  Rows rows;
  for (const auto* option : options_of(command))
    rows.emplace_back(name_of(*option), text_of(*option));
  const auto& root = root_of(command);
  if (&root != &command) {  // they may follow the command
    for (const char* name : {"--quiet", "--verbose"}) {
      const auto* option = root.get_option(name);
      rows.emplace_back(name_of(*option), text_of(*option));
    }
  }
  rows.emplace_back("-h, --help", "print this help");
  if (!commands_of(command).empty()) text += "options:\n";
  text += table(rows);
  if (!command.get_footer().empty()) text += command.get_footer() + '\n';
  text += kExitStatus;
  if (!commands_of(command).empty())
    text += fmt::format("`{} COMMAND --help` describes a command.\n", full_name(command));
  return text;
}

std::string short_help_text(const CLI::App& app) {
  return fmt::format(
      "{}{}\n{}`{} --help` shows options and examples, `{} help COMMAND` a command.\n", usage(app),
      purpose(app), commands(app), app.get_name(), app.get_name());
}

void use_help_text(CLI::App& app) {
  app.formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode) {
    return help_text(*command);
  });
}

}  // namespace lethe::app
