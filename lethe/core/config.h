// Configuration: every key is declared once, as a Field that binds its name to the variable it
// sets. Type and default come from the variable; range, choices and help are declared next to it.
// Reading, --set, the help text and the resolved config.toml all use the same list.
//
//   Fields config_fields(TrainOptions& o) {
//     return {{"train.epochs", &o.epochs, "passes over the images of a task", at_least(1)}, ...};
//   }
//
// A std::optional means "auto": it is unset until the rest of the configuration determines it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lethe/core/problem.h"

namespace lethe {

// A value with custom syntax (the tasks of a stream, the list of requests).
struct CustomTarget {
  std::string type;                                 // for the help text
  std::function<void(const nlohmann::json&)> read;  // throws a ConfigError with the reason
  std::function<std::string()> write;               // as TOML
};

// An enum variable and the names of its values in a configuration.
struct ChoiceTarget {
  std::vector<std::string> names;
  std::function<size_t()> get;  // index of the current value in names
  std::function<void(size_t)> set;
};

// The same for a list of enum values.
struct ChoiceListTarget {
  std::vector<std::string> names;
  std::function<std::vector<size_t>()> get;  // indices of the current values in names
  std::function<void(const std::vector<size_t>&)> set;
};

// The values of an enum with their names in configurations.
template <typename Enum>
using ChoiceNames = std::vector<std::pair<Enum, const char*>>;

template <typename Enum>
ChoiceTarget choice(Enum* target, const ChoiceNames<Enum>& names);
// The same for an optional: "auto" is the first name and means "not set".
template <typename Enum>
ChoiceTarget choice(std::optional<Enum>* target, const ChoiceNames<Enum>& names);
template <typename Enum>
ChoiceListTarget choice_list(std::vector<Enum>* target, const ChoiceNames<Enum>& names);

// "kDrop" -> "drop". The value must be among the names.
template <typename Enum>
const char* name_of(Enum value, const ChoiceNames<Enum>& names);

using FieldTarget =
    std::variant<bool*, int64_t*, double*, std::string*, std::optional<bool>*,
                 std::optional<int64_t>*, std::optional<double>*, std::vector<int64_t>*,
                 std::vector<std::string>*, ChoiceTarget, ChoiceListTarget, CustomTarget>;

struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;  // min itself is excluded
  bool open_max = false;
};

Range at_least(double min);
Range above(double min);
Range between(double min, double max);         // both included
Range at_least_below(double min, double max);  // [min, max)
std::string range_text(const Range& range);    // "[0, 1)", ">= 1"; empty without limits

struct Field {
  std::string key;  // "train.epochs"
  FieldTarget target;
  std::string help;                       // one line
  Range range = {};                       // of a number, or of every number in a list
  std::vector<std::string> choices = {};  // of a string; empty = any
  bool is_path = false;                   // a path; if relative, to the folder of the config file
  bool common = false;                    // shown by --help-config without "all"
  bool after_first_task = false;          // has no effect in the first task of a stream
  std::optional<Problem> only_for = {};   // the only kind of problem with this key; empty = both
  std::vector<std::string> former_keys = {};  // earlier names: an error that gives the current name
  std::vector<std::pair<std::string, std::string>> former_values = {};  // old name, current name
  // Whether the value has an effect under the resolved configuration; empty = always.
  std::function<bool()> acts = {};
  std::string acts_with = {};  // the setting that it needs, for the warning
};

using Fields = std::vector<Field>;

// Marks a field that most users need.
Field common(Field field);
// If `when` is true, marks a field that has no effect in the first task of a stream. The first-task
// cache ignores such fields.
Field after_first_task(Field field, bool when = true);
// Marks a field that acts on one kind of problem only: setting it for the other is an error.
Field only_for(Problem problem, Field field);
// Notes an earlier name of the key, or of one of its values.
Field formerly(std::string key, Field field);
Field formerly_value(std::string old_value, std::string new_value, Field field);
// Marks a field that has an effect only if acts() returns true, e.g. only_with("train.schedule =
// ...", ...). Setting it otherwise gives a warning: see ineffective().
Field only_with(std::string setting, std::function<bool()> acts, Field field);

// The raw user input: a file and --set assignments; later values override earlier ones. Keys are
// not checked yet.
class ConfigText {
 public:
  ConfigText() = default;

  // Throws ConfigError with file and line if it is not TOML or cannot be read.
  static ConfigText from_file(const std::filesystem::path& path);
  static ConfigText from_string(std::string_view toml, const std::string& origin);

  // "train.lr=0.05". Throws ConfigError if there is no '=' in it.
  void set(std::string_view assignment);

  // Writes every value into its field's variable. Throws ConfigError for an unknown key, a wrong
  // type or a value out of range. The message names the origin and the key and suggests the closest
  // known key.
  void apply(const Fields& fields) const;

  bool has(std::string_view key) const;  // whether the user set it

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const nlohmann::json> value;  // from a file, else null
    std::string text;                             // text of a --set value
    std::string origin;                           // for messages
    std::filesystem::path base;                   // base folder for relative paths
  };
  static ConfigText from_values(const nlohmann::json& file, const std::string& origin);

  std::vector<Entry> entries_;
};

// Writes every entry of a table (toml.h) into the field of that name. Values that are tables
// themselves need a CustomTarget. Relative paths are relative to base. Throws a ConfigError that
// names origin and key and, for an unknown key, suggests the closest known one.
void apply_table(const nlohmann::json& table, const std::string& origin,
                 const std::filesystem::path& base, const Fields& fields);

// The same for one assignment, "train.lr=0.05". Returns its field.
const Field& apply_assignment(std::string_view assignment, const std::string& origin,
                              const std::filesystem::path& base, const Fields& fields);

// The value of a field as TOML: 0.05, "cosine", [5, 5], "auto".
std::string value_text(const Field& field);

// The whole configuration as TOML, section by section; parsing it gives the same values.
std::string to_toml(const Fields& fields);

// Help for the common keys or for all keys: name, default, help line, type and range. The default
// shown is the current value of the variable.
enum class HelpDetail { kCommon, kAll };
std::string describe(const Fields& fields, HelpDetail detail = HelpDetail::kAll);

// The keys whose values in `fields` differ from `defaults`. Both lists must have the same keys.
std::vector<std::string> changed_keys(const Fields& fields, const Fields& defaults);

// One line for each of the given keys whose value has no effect, e.g. "train.gamma = 0.5 has no
// effect: it needs train.schedule = "step"". Call after the configuration is resolved.
std::vector<std::string> ineffective(const Fields& resolved, const std::vector<std::string>& keys);

// Replaces former names of keys and values with the current ones. Used to read records of earlier
// versions. The map goes from key to TOML value.
void rename_former(std::map<std::string, std::string>& config, const Fields& fields);
// The same for the words of a text such as "contrastive, forgotten_mix=0.5".
std::string rename_former(std::string text, const Fields& fields);

// The first key whose value differs, or std::nullopt. Both lists must have the same keys.
struct ConfigDifference {
  std::string key, left, right;
};
std::optional<ConfigDifference> first_difference(const Fields& left, const Fields& right);

// Details of the templates above.

namespace config_detail {
[[noreturn]] void throw_unnamed();  // an enum value that has no name: a programming error

template <typename Enum>
size_t position_of(Enum value, const ChoiceNames<Enum>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].first == value) return i;
  }
  throw_unnamed();
}
}  // namespace config_detail

template <typename Enum>
const char* name_of(Enum value, const ChoiceNames<Enum>& names) {
  return names[config_detail::position_of(value, names)].second;
}

template <typename Enum>
ChoiceTarget choice(Enum* target, const ChoiceNames<Enum>& names) {
  ChoiceTarget made;
  for (const auto& entry : names) made.names.emplace_back(entry.second);
  made.get = [target, names] { return config_detail::position_of(*target, names); };
  made.set = [target, names](size_t position) { *target = names.at(position).first; };
  return made;
}

template <typename Enum>
ChoiceTarget choice(std::optional<Enum>* target, const ChoiceNames<Enum>& names) {
  ChoiceTarget made = {.names = {"auto"}, .get = {}, .set = {}};
  for (const auto& entry : names) made.names.emplace_back(entry.second);
  made.get = [target, names]() -> size_t {
    return target->has_value() ? 1 + config_detail::position_of(**target, names) : 0;
  };
  made.set = [target, names](size_t position) {
    *target = position == 0 ? std::nullopt : std::optional<Enum>(names.at(position - 1).first);
  };
  return made;
}

template <typename Enum>
ChoiceListTarget choice_list(std::vector<Enum>* target, const ChoiceNames<Enum>& names) {
  ChoiceListTarget made;
  for (const auto& entry : names) made.names.emplace_back(entry.second);
  made.get = [target, names] {
    std::vector<size_t> positions;
    for (const Enum value : *target) positions.push_back(config_detail::position_of(value, names));
    return positions;
  };
  made.set = [target, names](const std::vector<size_t>& positions) {
    target->clear();
    for (const size_t position : positions) target->push_back(names.at(position).first);
  };
  return made;
}

}  // namespace lethe
