#include "tools/suite/suite_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/nearest.h"
#include "lethe/core/toml.h"
#include "lethe/method/registry.h"
#include "lethe/run/audit_options.h"
#include "lethe/run/presets.h"
#include "lethe/run/run_config.h"
#include "tools/suite/layouts.h"
#include "tools/suite/suite_check.h"
#include "tools/suite/suite_runs.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// What a dataset consists of. The suite and its profiles may give any of it for all their datasets.
struct DataEntry {
  std::string name;
  std::string preset, config;
  std::string folder;
  std::vector<std::string> weights;
  std::vector<std::string> set, only;
  std::map<std::string, std::vector<std::string>> tuned;
};

struct SuiteEntry {
  std::string name, summary, paper;
  std::string layout = "plain";
  std::string page;
  bool records = false;
  std::vector<std::string> audit;
  DataEntry defaults;
  json datasets = json::array(), profiles = json::array(), runs = json::array();
};

CustomTarget tables(json* target) {
  return {.type = "list of tables",
          .read =
              [target](const json& value) {
                const auto is_table = [](const json& item) { return item.is_object(); };
                if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_table))
                  throw ConfigError("must be a list of tables");
                *target = value;
              },
          .write = [] { return "[]"; }};
}

void read_tuned(DataEntry& entry, const json& value) {
  if (!value.is_object()) throw ConfigError("must be a table: label of a run = [KEY=VALUE, ...]");
  entry.tuned.clear();
  for (const auto& [label, sets] : value.items()) {
    const auto is_text = [](const json& item) { return item.is_string(); };
    if (!sets.is_array() || !std::all_of(sets.begin(), sets.end(), is_text))
      throw_error<ConfigError>("'{}' must be a list of KEY=VALUE", label);
    entry.tuned[label] = sets.get<std::vector<std::string>>();
  }
}

// The keys of a dataset, also allowed in a profile and at the top of the file.
Fields data_fields(DataEntry& entry) {
  Field config = {"config", &entry.config, "configuration file, in place of a preset"};
  config.is_path = true;
  return {
      {"preset", &entry.preset, "built-in configuration; see `lethe list presets`"},
      config,
      {"folder", &entry.folder, "subfolder of --data with the dataset; a run gets it as data.root"},
      {"weights", &entry.weights, "files in --data/weights: the first existing one is used"},
      {"set", &entry.set, "KEY=VALUE on top of the configuration"},
      {"only", &entry.only, "labels of the runs to make; empty = all"},
      {"tuned",
       CustomTarget{.type = "table",
                    .read = [&entry](const json& value) { read_tuned(entry, value); },
                    .write = [] { return "{}"; }},
       "by label of a run: KEY=VALUE for that run only"},
  };
}

Fields with(Fields fields, Fields more) {
  for (auto& field : more) fields.push_back(std::move(field));
  return fields;
}

Fields dataset_fields(DataEntry& entry) {
  return with({{"name", &entry.name, "in tables, folders and --datasets"}}, data_fields(entry));
}

Fields own_profile_fields(DataEntry& entry, json& datasets) {
  return {{"name", &entry.name, "of --profile; the first profile is the default"},
          {"dataset", tables(&datasets), "datasets of this profile only"}};
}

Fields own_fields(SuiteEntry& entry) {
  Field layout = {"layout", &entry.layout, "form of the tables"};
  for (const auto& known : layouts()) layout.choices.emplace_back(known.name);
  return {{"name", &entry.name, "of the suite; default: that of the file"},
          {"summary", &entry.summary, "one line"},
          {"page", &entry.page, "name of the page with the tables; default: that of the suite"},
          {"records", &entry.records, "keep a record of every run, build tables from records"},
          layout,
          {"audit", &entry.audit,
           "checks of an audit after every run (`lethe list checks`); its settings are keys of "
           "[audit] in set"},
          {"paper", &entry.paper,
           "published values for the table: a TOML file, or the name of built-in ones"},
          {"run", tables(&entry.runs), "the runs; each entry is one or several"},
          {"dataset", tables(&entry.datasets), "the datasets, the same for all profiles"},
          {"profile", tables(&entry.profiles), "several ways to run the suite"}};
}

std::set<std::string> preset_names() {
  std::set<std::string> names;
  for (const auto& preset : presets()) names.insert(preset.name);
  return names;
}

class SuiteReader {
 public:
  explicit SuiteReader(const fs::path& file)
      : file_(file.string()), base_(file.parent_path()), fields_(checked_.fields()) {}

  Suite read(std::string_view toml) {
    SuiteEntry entry;
    entry.name = fs::path(file_).stem().string();
    apply_table(parse_toml(toml, file_), file_, base_,
                with(own_fields(entry), data_fields(entry.defaults)));
    check_name(file_, "name", entry.name);
    if (entry.page.empty()) entry.page = entry.name;
    check_name(file_, "page", entry.page);
    if (find_layout(entry.layout).has_charts && !entry.records)
      throw_error<ConfigError>("{}: layout = \"{}\": has charts, which need records = true", file_,
                               entry.layout);
    Suite suite = {.name = entry.name,
                   .summary = entry.summary,
                   .profiles = profiles_of(entry),
                   .runs = {},
                   .keeps_records = entry.records,
                   .layout = entry.layout,
                   .page = entry.page,
                   .audit = entry.audit,
                   .paper = paper_of(entry)};
    for (const auto& check : entry.audit) {
      const auto& known = audit_checks();
      if (std::find(known.begin(), known.end(), check) == known.end())
        throw_error<ConfigError>("{}: audit: unknown check '{}'{}", file_, check,
                                 choose_from(check, known));
    }
    if (!entry.audit.empty() && !entry.records)
      throw_error<ConfigError>("{}: audit: needs records = true", file_);
    suite.runs = runs_of_suite(entry, suite);
    check_labels(suite);
    check_folders(suite);
    check_configurations(suite, file_);
    return suite;
  }

 private:
  // It becomes part of a folder's name.
  static void check_name(const std::string& origin, const char* key, const std::string& name) {
    const bool is_fine =
        !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                 c == '-';
        });
    if (!is_fine)
      throw_error<ConfigError>(
          "{}: {} = \"{}\": must be letters, digits, '_', '-' and '.', "
          "and not begin with '.'",
          origin, key, name);
  }

  // Checks the assignments and lets relative paths count from the file.
  void check_sets(const std::string& origin, std::vector<std::string>& sets) {
    for (auto& assignment : sets) {
      const auto key = assignment.substr(0, assignment.find('='));
      if (key == "train.seed")
        throw_error<ConfigError>("{}: {}: a suite takes its seeds from --seeds", origin,
                                 assignment);
      if (key == "method.name")
        throw_error<ConfigError>("{}: {}: name the method with method or methods of [[run]]",
                                 origin, assignment);
      const auto& field = apply_assignment(assignment, origin, base_, fields_);
      if (field.is_path) assignment = key + '=' + *std::get<std::string*>(field.target);
    }
  }

  // The entry of a table: what the table does not give is taken from the enclosing one.
  DataEntry inherit(const std::string& origin, const DataEntry& outer, const json& table,
                    const std::function<Fields(DataEntry&)>& fields) {
    DataEntry entry = outer;
    entry.name.clear();
    entry.set.clear();
    if (table.contains("preset") || table.contains("config")) {
      entry.preset.clear();
      entry.config.clear();
    }
    apply_table(table, origin, base_, fields(entry));
    check_entry(origin, entry);
    entry.set.insert(entry.set.begin(), outer.set.begin(), outer.set.end());
    return entry;
  }

  void check_entry(const std::string& origin, DataEntry& entry) {
    if (!entry.preset.empty() && !entry.config.empty())
      throw_error<ConfigError>("{}: give preset or config, not both", origin);
    const auto known = preset_names();
    if (!entry.preset.empty() && known.count(entry.preset) == 0)
      throw_error<ConfigError>("{}: unknown preset '{}'{}", origin, entry.preset,
                               choose_from(entry.preset, {known.begin(), known.end()}));
    check_sets(origin + ": set", entry.set);
    for (auto& [label, sets] : entry.tuned)
      check_sets(fmt::format("{}: tuned.\"{}\"", origin, label), sets);
  }

  static SuiteData to_data(const std::string& origin, const DataEntry& entry) {
    if (entry.preset.empty() && entry.config.empty())
      throw_error<ConfigError>("{}: needs a preset or a config", origin);
    return {.name = entry.name,
            .config = entry.preset.empty() ? entry.config : entry.preset,
            .folder = entry.folder,
            .weights = entry.weights,
            .sets = entry.set,
            .only = entry.only,
            .tuned = entry.tuned};
  }

  SuiteProfile profile_of(const std::string& origin, const DataEntry& defaults,
                          const json& datasets) {
    SuiteProfile profile = {.name = defaults.name, .data = {}};
    if (datasets.empty()) {
      auto only = defaults;
      only.name.clear();
      profile.data.push_back(to_data(origin, only));
    }
    std::set<std::string> names;
    for (const auto& table : datasets) {
      const auto where = fmt::format("{}: dataset {}", origin, names.size() + 1);
      const auto entry = inherit(where, defaults, table, dataset_fields);
      check_name(where, "name", entry.name);
      if (!names.insert(entry.name).second)
        throw_error<ConfigError>("{}: name = \"{}\": is the name of another dataset", where,
                                 entry.name);
      profile.data.push_back(to_data(where, entry));
    }
    return profile;
  }

  std::vector<SuiteProfile> profiles_of(SuiteEntry& entry) {
    check_entry(file_, entry.defaults);
    if (entry.profiles.empty()) return {profile_of(file_, entry.defaults, entry.datasets)};
    std::vector<SuiteProfile> profiles;
    for (const auto& table : entry.profiles) {
      const auto where = fmt::format("{}: profile {}", file_, profiles.size() + 1);
      json own = json::array();
      const auto defaults = inherit(where, entry.defaults, table, [&](DataEntry& data) {
        return with(own_profile_fields(data, own), data_fields(data));
      });
      check_name(where, "name", defaults.name);
      for (const auto& other : profiles) {
        if (other.name == defaults.name)
          throw_error<ConfigError>("{}: name = \"{}\": is the name of another profile", where,
                                   defaults.name);
      }
      json datasets = entry.datasets;
      for (const auto& dataset : own) datasets.push_back(dataset);
      profiles.push_back(profile_of(where, defaults, datasets));
    }
    return profiles;
  }

  PaperValues paper_of(const SuiteEntry& entry) const {
    try {
      if (entry.paper.empty()) return {};
      if (!entry.paper.ends_with(".toml")) return builtin_paper_values(entry.paper);
      const auto path = base_ / entry.paper;
      if (!fs::is_regular_file(path)) throw_error<ConfigError>("{}: no such file", path.string());
      return PaperValues::parse(read_text(path), path.string());
    } catch (const ConfigError& error) {
      throw_error<ConfigError>("{}: paper = \"{}\": {}", file_, entry.paper, error.what());
    }
  }

  Problem problem_of(const SuiteData& data) const {
    try {
      RunConfig config;
      read_config(data.config, data.sets).apply(config.fields());
      return find_dataset(config.data.name).problem;
    } catch (const ConfigError& error) {
      throw_error<ConfigError>("{}: {}", file_, error.what());
    }
  }

  // The kind of problem that the datasets have in common.
  Problem problem_of(const Suite& suite) const {
    std::set<Problem> problems;
    for (const auto& profile : suite.profiles) {
      for (const auto& data : profile.data) problems.insert(problem_of(data));
    }
    if (problems.size() > 1)
      throw_error<ConfigError>(
          "{}: has datasets for classification and for segmentation; make it two suites", file_);
    return *problems.begin();
  }

  static std::string checked_method(const std::string& origin, const std::string& given,
                                    Problem problem) {
    const auto known = MethodRegistry::builtin().names(problem);
    const auto name = method_name(given);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw_error<ConfigError>("{}: '{}' is not a method for {}{}", origin, given, name_of(problem),
                               choose_from(name, known));
    return name;
  }

  std::vector<SuiteRun> runs_of_suite(const SuiteEntry& entry, const Suite& suite) {
    const auto problem = problem_of(suite);
    std::vector<SuiteRun> runs;
    for (size_t i = 0; i < entry.runs.size(); ++i) {
      const auto where = fmt::format("{}: run {}", file_, i + 1);
      RunEntry one;
      apply_table(entry.runs[i], where, base_, config_fields(one));
      if (one.all_methods) one.methods = MethodRegistry::builtin().names(problem);
      for (auto& name : one.methods) name = checked_method(where, name, problem);
      if (!one.method.empty()) one.method = checked_method(where, one.method, problem);
      for (auto& run : runs_of(one, where)) {
        check_run(where, run);
        runs.push_back(std::move(run));
      }
    }
    if (runs.empty()) throw_error<ConfigError>("{}: has no [[run]]", file_);
    return runs;
  }

  void check_run(const std::string& where, SuiteRun& run) {
    check_sets(where, run.sets);
    check_name(where, "folder", run.folder);
    if (!labels_.insert(run.label).second)
      throw_error<ConfigError>("{}: label '{}' is that of another run", where, run.label);
    if (!folders_.insert(run.folder).second)
      throw_error<ConfigError>("{}: '{}' has the folder {} of another run; give it another folder",
                               where, run.label, run.folder);
  }

  void check_labels(const Suite& suite) const {
    const auto check = [&](const std::string& where, const std::string& label) {
      if (labels_.count(label) == 0)
        throw_error<ConfigError>("{}: {}: no run has this label{}", file_, where,
                                 did_you_mean(label, {labels_.begin(), labels_.end()}));
    };
    for (const auto& profile : suite.profiles) {
      for (const auto& data : profile.data) {
        for (const auto& [label, sets] : data.tuned)
          check(fmt::format("tuned.\"{}\"", label), label);
        for (const auto& label : data.only) check(fmt::format("only: \"{}\"", label), label);
      }
    }
  }

  // Profile, dataset and run together must name a folder too.
  void check_folders(const Suite& suite) const {
    std::set<std::string> folders;
    for (const auto& profile : suite.profiles) {
      for (const auto& data : profile.data) {
        for (const auto& run : suite.runs) {
          if (!folders.insert(profile.name + '-' + data.name + '-' + run.folder).second)
            throw_error<ConfigError>(
                "{}: run '{}' on '{}' has the folder of another run; rename run or dataset", file_,
                run.label, data.name);
        }
      }
    }
  }

  std::string file_;
  fs::path base_;
  RunConfig checked_;  // takes every assignment, to see whether it can be read
  Fields fields_;
  std::set<std::string> labels_, folders_;
};

}  // namespace

Suite parse_suite(std::string_view toml, const fs::path& file) {
  return SuiteReader(file).read(toml);
}

Suite find_suite(const std::string& name_or_file) {
  std::vector<std::string> known;
  for (const auto& [name, toml, is_search] : builtin_suites()) {
    if (name == name_or_file) return parse_suite(toml, name + ".toml");
    known.push_back(name);
  }
  const fs::path file = name_or_file;
  if (file.extension() == ".toml" || fs::is_regular_file(file)) {
    if (!fs::is_regular_file(file)) throw_error<ConfigError>("{}: no such file", file.string());
    return parse_suite(read_text(file), file);
  }
  throw_error<ConfigError>("unknown suite '{}'{}", name_or_file, choose_from(name_or_file, known));
}

std::string describe_suite_file() {
  SuiteEntry suite;
  DataEntry data;
  RunEntry run;
  json datasets;
  const auto below = [](const char* section, Fields fields) {
    for (auto& field : fields) field.key = section + ('.' + field.key);
    return fields;
  };
  std::string text =
      describe(own_fields(suite)) + describe(below("run", config_fields(run))) +
      describe(below("profile", own_profile_fields(data, datasets))) +
      describe(below("dataset", dataset_fields(data))) +
      "  All but name may also be given in [[profile]] and at the top of the file, for every "
      "dataset there.\n\nlayouts:\n";
  for (const auto& layout : layouts())
    text += fmt::format("  {:<12} {}\n", layout.name, layout.summary);
  return text;
}

}  // namespace lethe
