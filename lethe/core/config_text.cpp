// Fields as text: values, TOML, help, and former names in texts of earlier versions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "lethe/core/config.h"
#include "lethe/core/overloaded.h"

namespace lethe {

namespace {

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  const bool plain =
      text.find_first_of(".en") == std::string::npos;  // 3 -> 3.0; inf, nan, 1e-3 stay
  return plain ? text + ".0" : text;
}

std::string type_text(const Field& field) {
  return std::visit(Overloaded{
                        [](bool*) -> std::string { return "true or false"; },
                        [](int64_t*) -> std::string { return "int"; },
                        [](double*) -> std::string { return "real"; },
                        [&](std::string*) -> std::string {
                          return field.choices.empty()
                                     ? "text"
                                     : fmt::format("{}", fmt::join(field.choices, " | "));
                        },
                        [](std::optional<bool>*) -> std::string { return "auto, true or false"; },
                        [](std::optional<int64_t>*) -> std::string { return "auto or int"; },
                        [](std::optional<double>*) -> std::string { return "auto or real"; },
                        [](std::vector<int64_t>*) -> std::string { return "list of int"; },
                        [](std::vector<std::string>*) -> std::string { return "list of strings"; },
                        [](const ChoiceTarget& target) {
                          return fmt::format("{}", fmt::join(target.names, " | "));
                        },
                        [](const ChoiceListTarget& target) {
                          return fmt::format("list of {}", fmt::join(target.names, " | "));
                        },
                        [](const CustomTarget& target) { return target.type; },
                    },
                    field.target);
}

std::pair<std::string, std::string> split_key(const std::string& key) {
  const auto dot = key.rfind('.');
  if (dot == std::string::npos) return {"", key};
  return {key.substr(0, dot), key.substr(dot + 1)};
}

// Sections in the order of first appearance; keys without a section first, as TOML requires.
std::vector<std::string> sections_of(const Fields& fields) {
  std::vector<std::string> sections = {""};
  for (const auto& field : fields) {
    const auto section = split_key(field.key).first;
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
      sections.push_back(section);
    }
  }
  return sections;
}

}  // namespace

std::string range_text(const Range& range) {
  const bool low = std::isfinite(range.min);
  const bool high = std::isfinite(range.max);
  if (low && high) {
    return fmt::format("{}{}, {}{}", range.open_min ? '(' : '[', range.min, range.max,
                       range.open_max ? ')' : ']');
  }
  if (low) return fmt::format("{} {}", range.open_min ? ">" : ">=", range.min);
  if (high) return fmt::format("{} {}", range.open_max ? "<" : "<=", range.max);
  return "";
}

std::string value_text(const Field& field) {
  const auto list = [](const auto& values, auto&& text) {
    std::string result;
    for (const auto& value : values) result += (result.empty() ? "" : ", ") + text(value);
    return '[' + result + ']';
  };
  return std::visit(
      Overloaded{
          [](const bool* value) -> std::string { return *value ? "true" : "false"; },
          [](const int64_t* value) { return std::to_string(*value); },
          [](const double* value) { return real_text(*value); },
          [](const std::string* value) { return toml_text(*value); },
          [](const std::optional<bool>* value) -> std::string {
            return !*value ? "\"auto\"" : **value ? "true" : "false";
          },
          [](const std::optional<int64_t>* value) -> std::string {
            return *value ? std::to_string(**value) : "\"auto\"";
          },
          [](const std::optional<double>* value) -> std::string {
            return *value ? real_text(**value) : "\"auto\"";
          },
          [&](const std::vector<int64_t>* values) {
            return list(*values, [](int64_t value) { return std::to_string(value); });
          },
          [&](const std::vector<std::string>* values) {
            return list(*values, [](const std::string& value) { return toml_text(value); });
          },
          [](const ChoiceTarget& target) { return toml_text(target.names.at(target.get())); },
          [&](const ChoiceListTarget& target) {
            return list(target.get(),
                        [&](size_t position) { return toml_text(target.names.at(position)); });
          },
          [](const CustomTarget& target) { return target.write(); },
      },
      field.target);
}

std::string to_toml(const Fields& fields) {
  std::string text;
  for (const auto& section : sections_of(fields)) {
    if (!section.empty()) text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
    for (const auto& field : fields) {
      const auto [own_section, name] = split_key(field.key);
      if (own_section == section) text += fmt::format("{} = {}\n", name, value_text(field));
    }
  }
  return text;
}

std::string describe(const Fields& fields, HelpDetail detail) {
  std::string text;
  for (const auto& section : sections_of(fields)) {
    std::string body;
    for (const auto& field : fields) {
      const auto [own_section, name] = split_key(field.key);
      if (own_section != section) continue;
      if (detail == HelpDetail::kCommon && !field.common) continue;
      const std::string range = range_text(field.range);
      body += fmt::format("  {:<34} {}\n      {}{}{}\n", name + " = " + value_text(field),
                          field.help, type_text(field), range.empty() ? "" : ", ", range);
    }
    if (body.empty()) continue;
    text += section.empty() ? body : fmt::format("[{}]\n{}", section, body);
  }
  return text;
}

void rename_former(std::map<std::string, std::string>& config, const Fields& fields) {
  for (const auto& field : fields) {
    for (const auto& key : field.former_keys) {
      if (auto node = config.extract(key)) {
        node.key() = field.key;
        config.insert(std::move(node));
      }
    }
    const auto entry = config.find(field.key);
    if (entry == config.end()) continue;
    for (const auto& [before, now] : field.former_values) {
      if (entry->second == toml_text(before)) entry->second = toml_text(now);
    }
  }
}

std::string rename_former(std::string text, const Fields& fields) {
  const auto replace = [&](const std::string& before, const std::string& now) {
    for (size_t at = text.find(before); at != std::string::npos;
         at = text.find(before, at + now.size()))
      text.replace(at, before.size(), now);
  };
  for (const auto& field : fields) {
    for (const auto& key : field.former_keys)
      replace(split_key(key).second, split_key(field.key).second);
    for (const auto& [before, now] : field.former_values) replace(before, now);
  }
  return text;
}

}  // namespace lethe
