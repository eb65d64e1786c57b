#include "tools/suite/suite_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "lethe/core/config.h"
#include "lethe/core/error.h"
#include "lethe/core/text.h"
#include "lethe/method/registry.h"

namespace lethe {

using nlohmann::json;

namespace {

// A value of a file as the right side of KEY=VALUE.
std::string value_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const auto& item : value) items.push_back(item.is_string() ? item.dump() : value_of(item));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::vector<std::string> values_of(const json& list) {
  std::vector<std::string> values;
  for (const auto& value : list) {
    if (value.is_object()) throw ConfigError("must be values, not tables");
    values.push_back(value_of(value));
  }
  return values;
}

std::vector<std::string> texts_of(const json& list, const char* what) {
  std::vector<std::string> texts;
  for (const auto& text : list) {
    if (!text.is_string()) throw_error<ConfigError>("must be {}", what);
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

const json& list_of(const json& value, const char* what) {
  if (!value.is_array() || value.empty()) throw_error<ConfigError>("must be {}", what);
  return value;
}

CustomTarget custom(std::string type, std::function<void(const json&)> read) {
  return {.type = std::move(type), .read = std::move(read), .write = [] { return "[]"; }};
}

void read_methods(RunEntry& entry, const json& value) {
  constexpr const char* kWhat = "a list of methods, or \"all\"";
  entry.all_methods = value == "all";
  if (!entry.all_methods) entry.methods = texts_of(list_of(value, kWhat), kWhat);
}

void read_choices(RunEntry& entry, const json& value) {
  constexpr const char* kWhat = "a list whose items are KEY=VALUE or lists of them";
  for (const auto& choice : list_of(value, kWhat))
    entry.choices.push_back(
        texts_of(choice.is_string() ? json::array({choice}) : list_of(choice, kWhat), kWhat));
}

void read_grid(RunEntry& entry, const json& value) {
  constexpr const char* kWhat = "a list of { key = \"train.lr\", values = [0.01, 0.1] }";
  for (const auto& item : list_of(value, kWhat)) {
    if (!item.is_object()) throw_error<ConfigError>("must be {}", kWhat);
    GridKey one;
    apply_table(item, fmt::format("item {}", entry.grid.size() + 1), {},
                {{"key", &one.key, "key of the configuration, below section if that is given"},
                 {"values",
                  custom("list of values",
                         [&](const json& values) {
                           one.values = values_of(list_of(values, "a list of values"));
                         }),
                  "its values"}});
    if (one.key.empty() || one.values.empty()) throw_error<ConfigError>("must be {}", kWhat);
    entry.grid.push_back(std::move(one));
  }
}

void read_rows(RunEntry& entry, const json& value) {
  constexpr const char* kWhat = "a list of [label, folder, a value for each of keys]";
  for (const auto& item : list_of(value, kWhat)) {
    auto cells = values_of(list_of(item, kWhat));
    if (cells.size() < 3 || !item[0].is_string() || !item[1].is_string())
      throw_error<ConfigError>("must be {}", kWhat);
    RunRow row = {.label = cells[0], .folder = cells[1], .values = {}};
    row.values.assign(cells.begin() + 2, cells.end());
    entry.rows.push_back(std::move(row));
  }
}

// Every way to take one value of each key, the last key varying fastest.
std::vector<std::vector<std::string>> product(const std::vector<GridKey>& grid) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const auto& [key, values] : grid) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& begun : all) {
      for (const auto& value : values) {
        longer.push_back(begun);
        longer.back().push_back(key + '=' + value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string folder_name(std::string text) {
  for (char& c : text) {
    if (c == '*') c = 's';
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') c = '-';
  }
  return text;
}

// "lwf* lambda=20" of lwf* -> "lwf_star-lambda-20".
std::string folder_of(const std::string& label, const std::string& method) {
  const bool begins = !method.empty() && (label == method || label.starts_with(method + ' '));
  return folder_name(begins ? method_folder(method) + label.substr(method.size()) : label);
}

// Without a section, the last part of the key is enough to name the run.
std::string shown(const std::string& assignment, const std::string& section) {
  if (!section.empty()) return assignment;
  const auto dot = assignment.substr(0, assignment.find('=')).rfind('.');
  return dot == std::string::npos ? assignment : assignment.substr(dot + 1);
}

std::string full(const std::string& assignment, const std::string& section) {
  return section.empty() ? assignment : section + '.' + assignment;
}

void check(const RunEntry& entry, const std::string& origin) {
  const int methods =
      (entry.method.empty() ? 0 : 1) + (entry.methods.empty() && !entry.all_methods ? 0 : 1);
  const int kinds =
      (entry.choices.empty() ? 0 : 1) + (entry.grid.empty() ? 0 : 1) + (entry.rows.empty() ? 0 : 1);
  if (methods > 1) throw_error<ConfigError>("{}: give method or methods, not both", origin);
  if (kinds > 1) throw_error<ConfigError>("{}: give one of choices, grid and rows", origin);
  if (entry.keys.empty() != entry.rows.empty())
    throw_error<ConfigError>("{}: keys and rows belong together", origin);
  const bool is_one = kinds == 0 && entry.methods.empty() && !entry.all_methods;
  if (!is_one && !(entry.label.empty() && entry.folder.empty()))
    throw_error<ConfigError>("{}: label and folder are for a single run", origin);
  if (is_one && entry.method.empty() && entry.label.empty())
    throw_error<ConfigError>("{}: needs a method, a label, choices, a grid or rows", origin);
  if (kinds == 0 && !entry.section.empty())
    throw_error<ConfigError>("{}: section is for choices, grid and rows", origin);
  if (!entry.rows.empty() && (!entry.methods.empty() || entry.all_methods))
    throw_error<ConfigError>("{}: rows are for one method", origin);
  for (const auto& row : entry.rows) {
    if (row.values.size() != entry.keys.size())
      throw_error<ConfigError>("{}: row '{}' has {} for {}", origin, row.label,
                               counted(static_cast<int64_t>(row.values.size()), "value"),
                               counted(static_cast<int64_t>(entry.keys.size()), "key"));
  }
}

}  // namespace

Fields config_fields(RunEntry& entry) {
  return {
      {"method", &entry.method, "method of the run; without one, that of the configuration"},
      {"methods",
       custom("list of strings, or all", [&](const json& value) { read_methods(entry, value); }),
       "one run for each of several methods; \"all\": every method for this kind of data"},
      {"label", &entry.label, "first column of the table, in place of method and changes"},
      {"folder", &entry.folder, "last part of the run's folder, in place of one from the label"},
      {"set", &entry.set, "KEY=VALUE for all these runs, not in their labels"},
      {"section", &entry.section, "prefix of the keys below; labels do not show it"},
      {"choices",
       custom("list of strings or of lists",
              [&](const json& value) { read_choices(entry, value); }),
       "one run for each item: KEY=VALUE, or a list of them"},
      {"grid", custom("list of tables", [&](const json& value) { read_grid(entry, value); }),
       "one run for each combination of values: [{ key = ..., values = [...] }, ...]"},
      {"keys", &entry.keys, "with rows: the keys that each row gives a value"},
      {"rows", custom("list of lists", [&](const json& value) { read_rows(entry, value); }),
       "one run for each item: [label, folder, value of each key]"},
  };
}

std::vector<SuiteRun> runs_of(const RunEntry& entry, const std::string& origin) {
  check(entry, origin);
  std::vector<SuiteRun> runs;
  const auto add = [&](const std::string& method, const std::string& label,
                       const std::string& folder, const std::vector<std::string>& changes) {
    SuiteRun run = {.label = label,
                    .folder = folder.empty() ? folder_of(label, method) : folder,
                    .method = method,
                    .sets = entry.set};
    for (const auto& change : changes) run.sets.push_back(full(change, entry.section));
    runs.push_back(std::move(run));
  };

  for (const auto& row : entry.rows) {
    std::vector<std::string> changes;
    for (size_t i = 0; i < row.values.size(); ++i)
      changes.push_back(entry.keys[i] + '=' + row.values[i]);
    add(entry.method, row.label, row.folder, changes);
  }
  if (!entry.rows.empty()) return runs;

  const auto methods =
      entry.methods.empty() ? std::vector<std::string>{entry.method} : entry.methods;
  const auto all_changes = entry.choices.empty() ? product(entry.grid) : entry.choices;
  for (const auto& method : methods) {
    for (const auto& changes : all_changes) {
      std::string label = method;
      for (const auto& change : changes)
        label += (label.empty() ? "" : " ") + shown(change, entry.section);
      add(method, entry.label.empty() ? label : entry.label, entry.folder, changes);
    }
  }
  return runs;
}

}  // namespace lethe
