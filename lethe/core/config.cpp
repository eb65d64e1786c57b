#include "lethe/core/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "lethe/core/overloaded.h"
#include "lethe/core/toml.h"

namespace lethe {

using nlohmann::json;

namespace {

void check_range(double value, const Range& range) {
  const bool inside = (range.open_min ? value > range.min : value >= range.min) &&
                      (range.open_max ? value < range.max : value <= range.max);
  if (inside) return;
  const std::string text = range_text(range);
  const bool interval = text.find(',') != std::string::npos;
  throw_error<ConfigError>("must be {}{}", interval ? "in " : "", text);
}

// For messages. JSON cannot write infinities and NaN.
std::string shown(const json& value) {
  const bool is_special = value.is_number_float() && !std::isfinite(value.get<double>());
  return is_special ? fmt::format("{}", value.get<double>()) : value.dump();
}

int64_t read_int(const json& value, const Range& range) {
  if (!value.is_number_integer()) throw ConfigError("must be an integer");
  const auto number = value.get<int64_t>();
  check_range(static_cast<double>(number), range);
  return number;
}

double read_real(const json& value, const Range& range) {
  if (!value.is_number()) throw ConfigError("must be a number");
  const auto number = value.get<double>();
  if (!std::isfinite(number)) throw ConfigError("must be a finite number");
  check_range(number, range);
  return number;
}

bool read_bool(const json& value) {
  if (!value.is_boolean()) throw ConfigError("must be true or false");
  return value.get<bool>();
}

std::string read_string(const json& value) {
  if (!value.is_string()) throw ConfigError("must be a string in quotes");
  return value.get<std::string>();
}

template <typename T, typename Read>
std::vector<T> read_list(const json& value, const char* what, Read read) {
  if (!value.is_array()) throw_error<ConfigError>("must be a list of {}", what);
  std::vector<T> list;
  for (const auto& item : value) list.push_back(read(item));
  return list;
}

template <typename T, typename Read>
void read_optional(std::optional<T>& target, const json& value, Read read) {
  if (value.is_string() && value.get<std::string>() == "auto") {
    target.reset();
    return;
  }
  try {
    target = read(value);
  } catch (const ConfigError& error) {
    throw_error<ConfigError>("{}, or \"auto\"", error.what());
  }
}

// The position of a name among the choices of a field.
size_t read_choice(const Field& field, const std::string& text,
                   const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  for (const auto& [before, now] : field.former_values) {
    if (before == text) throw_error<ConfigError>("is called \"{}\" now", now);
  }
  throw_error<ConfigError>("must be one of {}{}", fmt::join(names, ", "),
                           did_you_mean(text, names));
}

void assign(const Field& field, const json& value, const std::filesystem::path& base) {
  std::visit(
      Overloaded{
          [&](bool* target) { *target = read_bool(value); },
          [&](int64_t* target) { *target = read_int(value, field.range); },
          [&](double* target) { *target = read_real(value, field.range); },
          [&](std::string* target) {
            std::string text = read_string(value);
            if (!field.choices.empty()) read_choice(field, text, field.choices);
            if (field.is_path && !text.empty()) {
              text = std::filesystem::absolute(base / text).lexically_normal().string();
            }
            *target = text;
          },
          [&](std::optional<bool>* target) { read_optional(*target, value, read_bool); },
          [&](std::optional<int64_t>* target) {
            read_optional(*target, value, [&](const json& v) { return read_int(v, field.range); });
          },
          [&](std::optional<double>* target) {
            read_optional(*target, value, [&](const json& v) { return read_real(v, field.range); });
          },
          [&](std::vector<int64_t>* target) {
            *target = read_list<int64_t>(value, "integers",
                                         [&](const json& v) { return read_int(v, field.range); });
          },
          [&](std::vector<std::string>* target) {
            *target = read_list<std::string>(value, "strings", read_string);
          },
          [&](const ChoiceTarget& target) {
            target.set(read_choice(field, read_string(value), target.names));
          },
          [&](const ChoiceListTarget& target) {
            target.set(read_list<size_t>(value, "strings", [&](const json& v) {
              return read_choice(field, read_string(v), target.names);
            }));
          },
          [&](const CustomTarget& target) { target.read(value); },
      },
      field.target);
}

// A --set value has no quotes: the type of the field decides how it is parsed.
json parse_set_value(const Field& field, const std::string& text) {
  const bool is_string = std::holds_alternative<std::string*>(field.target) ||
                         std::holds_alternative<ChoiceTarget>(field.target);
  const bool looks_quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
  if (is_string && !looks_quoted) return text;
  if (text == "auto") return text;
  const bool is_list = std::holds_alternative<std::vector<std::string>*>(field.target) ||
                       std::holds_alternative<ChoiceListTarget>(field.target);
  if (is_list && !text.starts_with('[')) {
    json list = json::array();
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) list.push_back(part);
    return list;
  }
  try {
    return parse_toml("value = " + text, "--set").at("value");
  } catch (const ConfigError&) {
    return text;  // a bare word; the type check reports the expected type
  }
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void flatten(const std::string& prefix, const json& value,
             std::vector<std::pair<std::string, json>>& out) {
  if (!value.is_object()) {
    out.emplace_back(prefix, value);
    return;
  }
  for (const auto& [key, child] : value.items()) {
    flatten(prefix.empty() ? key : prefix + '.' + key, child, out);
  }
}

}  // namespace

Range at_least(double min) { return {.min = min}; }
Range above(double min) { return {.min = min, .open_min = true}; }
Range between(double min, double max) { return {.min = min, .max = max}; }
Range at_least_below(double min, double max) { return {.min = min, .max = max, .open_max = true}; }

ConfigText ConfigText::from_file(const std::filesystem::path& path) {
  auto config = from_values(read_toml(path), path.string());
  for (auto& entry : config.entries_) entry.base = path.parent_path();
  return config;
}

ConfigText ConfigText::from_string(std::string_view toml, const std::string& origin) {
  return from_values(parse_toml(toml, origin), origin);
}

ConfigText ConfigText::from_values(const json& file, const std::string& origin) {
  std::vector<std::pair<std::string, json>> values;
  flatten("", file, values);
  ConfigText config;
  for (const auto& [key, value] : values) {
    config.entries_.push_back({.key = key,
                               .value = std::make_shared<const json>(value),
                               .text = "",
                               .origin = origin,
                               .base = ""});
  }
  return config;
}

namespace {

// "train.lr=0.05" -> key and text of the value.
std::pair<std::string, std::string> split_assignment(std::string_view assignment,
                                                     const std::string& origin) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw_error<ConfigError>("{} {}: expected KEY=VALUE, e.g. train.lr=0.05", origin, assignment);
  }
  return {std::string(assignment.substr(0, equals)), std::string(assignment.substr(equals + 1))};
}

const Field& field_of(const std::string& key, const std::string& origin, const Fields& fields) {
  std::vector<std::string> known;
  for (const auto& field : fields) {
    if (field.key == key) return field;
    known.push_back(field.key);
  }
  for (const auto& now : fields) {
    if (contains(now.former_keys, key))
      throw_error<ConfigError>("{}: key '{}' is called '{}' now", origin, key, now.key);
  }
  const bool section = std::any_of(known.begin(), known.end(), [&](const std::string& other) {
    return other.starts_with(key + '.');
  });
  throw_error<ConfigError>("{}: unknown key '{}'{}", origin, key,
                           section ? ": it is a section" : did_you_mean(key, known));
}

void assign(const Field& field, const json& value, const std::string& origin,
            const std::filesystem::path& base) {
  try {
    assign(field, value, base);
  } catch (const ConfigError& error) {
    throw_error<ConfigError>("{}: {} = {}: {}", origin, field.key, shown(value), error.what());
  }
}

}  // namespace

void apply_table(const json& table, const std::string& origin, const std::filesystem::path& base,
                 const Fields& fields) {
  for (const auto& [key, value] : table.items())
    assign(field_of(key, origin, fields), value, origin, base);
}

const Field& apply_assignment(std::string_view assignment, const std::string& origin,
                              const std::filesystem::path& base, const Fields& fields) {
  const auto [key, text] = split_assignment(assignment, origin + ':');
  const auto& field = field_of(key, origin, fields);
  assign(field, parse_set_value(field, text), origin, base);
  return field;
}

void ConfigText::set(std::string_view assignment) {
  auto [key, text] = split_assignment(assignment, "--set");
  entries_.push_back({.key = std::move(key),
                      .value = nullptr,
                      .text = std::move(text),
                      .origin = "--set",
                      .base = ""});
}

bool ConfigText::has(std::string_view key) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.key == key; });
}

void ConfigText::apply(const Fields& fields) const {
  for (const auto& entry : entries_) {
    const auto& field = field_of(entry.key, entry.origin, fields);
    const json value = entry.value ? *entry.value : parse_set_value(field, entry.text);
    assign(field, value, entry.origin, entry.base);
  }
}

Field common(Field field) {
  field.common = true;
  return field;
}

Field after_first_task(Field field, bool when) {
  field.after_first_task = when;
  return field;
}

Field only_for(Problem problem, Field field) {
  field.only_for = problem;
  return field;
}

Field formerly(std::string key, Field field) {
  field.former_keys.push_back(std::move(key));
  return field;
}

Field formerly_value(std::string old_value, std::string new_value, Field field) {
  field.former_values.emplace_back(std::move(old_value), std::move(new_value));
  return field;
}

Field only_with(std::string setting, std::function<bool()> acts, Field field) {
  field.acts_with = std::move(setting);
  field.acts = std::move(acts);
  return field;
}

std::vector<std::string> changed_keys(const Fields& fields, const Fields& defaults) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (value_text(fields[i]) != value_text(defaults.at(i))) keys.push_back(fields[i].key);
  }
  return keys;
}

std::vector<std::string> ineffective(const Fields& resolved, const std::vector<std::string>& keys) {
  std::vector<std::string> lines;
  for (const auto& field : resolved) {
    if (!field.acts || field.acts() || !contains(keys, field.key)) continue;
    lines.push_back(fmt::format("{} = {} has no effect: it needs {}", field.key, value_text(field),
                                field.acts_with));
  }
  return lines;
}

void config_detail::throw_unnamed() { throw Error("a choice of the configuration has no name"); }

std::optional<ConfigDifference> first_difference(const Fields& left, const Fields& right) {
  for (const auto& field : left) {
    const auto other = std::find_if(right.begin(), right.end(),
                                    [&](const Field& f) { return f.key == field.key; });
    if (other == right.end())
      return ConfigDifference{field.key, value_text(field), "(no such key)"};
    const std::string a = value_text(field);
    const std::string b = value_text(*other);
    if (a != b) return ConfigDifference{field.key, a, b};
  }
  return std::nullopt;
}

}  // namespace lethe
