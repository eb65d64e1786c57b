#include "tools/suite/suite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/core/shell.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/data/options.h"
#include "lethe/method/registry.h"
#include "lethe/record/environment.h"
#include "lethe/record/run_folder.h"
#include "lethe/run/runner.h"
#include "tools/suite/layouts.h"
#include "tools/suite/suite_check.h"
#include "tools/suite/suite_file.h"
#include "tools/suite/suite_table.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

const SuiteProfile& find_profile(const Suite& suite, const std::string& name) {
  if (name.empty()) return suite.profiles.front();
  std::vector<std::string> known;
  for (const auto& profile : suite.profiles) {
    if (profile.name == name) return profile;
    if (!profile.name.empty()) known.push_back(profile.name);
  }
  if (known.empty()) throw_error<ConfigError>("--profile: suite '{}' has none", suite.name);
  throw_error<ConfigError>("--profile: suite '{}' has no profile '{}'{}", suite.name, name,
                           choose_from(name, known));
}

std::vector<SuiteRun> chosen_runs(const Suite& suite, const std::vector<std::string>& only) {
  if (only.empty()) return suite.runs;
  std::vector<SuiteRun> runs;
  std::vector<std::string> known;
  for (const auto& run : suite.runs) known.push_back(run.label);
  for (const auto& name : only) {
    // Also by folder: a label may contain a comma.
    const auto found = std::find_if(suite.runs.begin(), suite.runs.end(), [&](const SuiteRun& run) {
      return run.label == method_name(name) || run.folder == name;
    });
    if (found == suite.runs.end()) {
      throw_error<ConfigError>("suite '{}' has no run '{}'{}", suite.name, name,
                               choose_from(name, known));
    }
    runs.push_back(*found);
  }
  return runs;
}

// The folder of the dataset below --data, if it exists.
std::optional<fs::path> data_root(const SuiteData& data, const fs::path& folder) {
  if (folder.empty() || data.folder.empty() || !fs::exists(folder / data.folder))
    return std::nullopt;
  return fs::absolute(folder / data.folder).lexically_normal();
}

bool has_root(const SuiteOptions& options) {
  return std::any_of(options.sets.begin(), options.sets.end(), [](const std::string& assignment) {
    return assignment.starts_with("data.root=");
  });
}

// The datasets to run on: those asked for, or all available.
std::vector<SuiteData> chosen_data(const Suite& suite, const SuiteProfile& profile,
                                   const SuiteOptions& options) {
  std::vector<std::string> known;
  for (const auto& data : profile.data) known.push_back(data.name);
  std::vector<SuiteData> chosen;
  for (const auto& name : options.datasets) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end() || name.empty())
      throw_error<ConfigError>("--datasets: suite '{}' has no dataset '{}'{}", suite.name, name,
                               choose_from(name, known));
    chosen.push_back(profile.data[static_cast<size_t>(found - known.begin())]);
  }
  const bool all = chosen.empty();
  if (all) chosen = profile.data;
  if (has_root(options)) {
    if (chosen.size() > 1)
      throw ConfigError("--set data.root: name one dataset with --datasets, or use --data");
    return chosen;
  }
  std::vector<SuiteData> there;
  std::vector<std::string> folders;
  for (const auto& data : chosen) {
    if (data.folder.empty() || data_root(data, options.data)) {
      there.push_back(data);
      continue;
    }
    folders.push_back(data.folder);
    if (all && !options.data.empty())
      log_info("{}: {} is not in {}, skipped", suite.name, data.folder, options.data.string());
  }
  if (there.empty() || (!all && !folders.empty())) {
    throw_error<ConfigError>(
        "suite '{}' needs {}{}; name the folder of the datasets with --data DIR", suite.name,
        fmt::join(folders, ", "),
        options.data.empty() ? "" : ", not found in " + options.data.string());
  }
  return there;
}

// --set must not change what distinguishes the rows and columns of the table.
void check_options(const SuiteOptions& options) {
  for (const auto& assignment : options.sets) {
    const auto key = assignment.substr(0, assignment.find('='));
    if (key == "train.seed")
      throw ConfigError("--set train.seed: a suite takes its seeds from --seeds");
    if (key == "method.name")
      throw ConfigError("--set method.name: a suite has its own methods; choose with --only");
  }
  auto seeds = options.seeds;
  std::sort(seeds.begin(), seeds.end());
  if (const auto twice = std::adjacent_find(seeds.begin(), seeds.end()); twice != seeds.end())
    throw_error<ConfigError>("--seeds: {} is given twice", *twice);
}

// The command line that produced a table, without the paths of this machine.
std::string command_of(const SuiteOptions& options) {
  std::string text = fmt::format("lethe suite {}", options.name);
  if (!options.profile.empty()) text += " --profile " + options.profile;
  if (!options.datasets.empty())
    text += fmt::format(" --datasets {}", fmt::join(options.datasets, ","));
  text += fmt::format(" --seeds {}", fmt::join(options.seeds, ","));
  if (!options.only.empty())
    text += " --only " + shell_quoted(fmt::format("{}", fmt::join(options.only, ",")));
  if (!options.data.empty()) text += " --data DIR";
  for (const auto& assignment : options.sets)
    text += " --set " + shell_quoted(without_own_path(assignment));
  return text;
}

// The command line that continues an interrupted suite.
std::string resume_command(const SuiteOptions& options) {
  std::string text = "lethe suite " + shell_quoted(options.name);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  add("--profile", options.profile);
  add("--datasets", fmt::format("{}", fmt::join(options.datasets, ",")));
  add("--seeds", fmt::format("{}", fmt::join(options.seeds, ",")));
  add("--only", fmt::format("{}", fmt::join(options.only, ",")));
  for (const auto& assignment : options.sets) add("--set", assignment);
  add("--data", options.data.string());
  add("--out", options.out.string());
  add("--results", options.results.string());
  add("--cache", options.cache.string());
  add("--markdown", options.markdown.string());
  return text + fmt::format(" --threads {} --resume", options.threads);
}

// The runs of a suite, one after the other.
class SuiteRunner {
 public:
  SuiteRunner(const Suite& suite, const SuiteProfile& profile, const SuiteOptions& options)
      : suite_(suite),
        profile_(profile),
        options_(options),
        cache_(options.cache.empty() ? options.out / fmt::format(".{}-cache", suite.name)
                                     : options.cache),
        records_(options.results / "records") {}

  std::vector<SuiteRecord> run() {
    const auto runs = chosen_runs(suite_, options_.only);
    const auto chosen = chosen_data(suite_, profile_, options_);
    check(chosen, runs);
    if (options_.overwrite) {
      remove_own_cache();
      for (const auto& data : chosen) {
        for (const auto& run : runs) {
          for (const int64_t seed : options_.seeds) remove_run(folder_of(data, run, seed));
        }
      }
    }
    if (suite_.keeps_records) make_folder(records_);  // fail before anything is trained
    std::vector<SuiteRecord> records;
    for (const auto& data : chosen) {
      for (const auto& run : runs) {
        for (const int64_t seed : options_.seeds) records.push_back(one(data, run, seed));
      }
    }
    // With --only or --datasets, another process may work on the rest of the suite.
    if (options_.only.empty() && options_.datasets.empty()) remove_own_cache();
    return records;
  }

 private:
  // Finds mistakes in later runs now, not after hours of training. Runs differ in their seeds, but
  // their configurations are checked once.
  void check(const std::vector<SuiteData>& chosen, const std::vector<SuiteRun>& runs) const {
    std::vector<PlannedRun> planned;
    for (const auto& data : chosen) {
      for (const auto& run : runs) {
        const auto one = options_of(data, run, options_.seeds.front());
        planned.push_back({.name = name_of(run, data), .config = one.config, .sets = one.sets});
      }
    }
    check_runs(planned, options_.name);
  }

  static void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw_error<ConfigError>("{}: cannot be created: {}", folder.string(), error.message());
  }

  void remove_own_cache() const {
    if (options_.cache.empty()) fs::remove_all(cache_);
  }

  fs::path folder_of(const SuiteData& data, const SuiteRun& run, int64_t seed) const {
    std::string name = suite_.name;
    for (const auto& part : {profile_.name, data.name, run.folder}) {
      if (!part.empty()) name += '-' + part;
    }
    // A suite that keeps records collects seeds over several calls.
    if (options_.seeds.size() > 1 || suite_.keeps_records) name += fmt::format("-s{}", seed);
    return options_.out / name;
  }

  RunOptions options_of(const SuiteData& data, const SuiteRun& run, int64_t seed) const {
    RunOptions one{.config = data.config,
                   .sets = data.sets,
                   .out = folder_of(data, run, seed),
                   .resume = options_.resume,
                   .threads = options_.threads,
                   .cache = cache_,
                   .resume_advice = false,
                   .identify = suite_.keeps_records};
    if (const auto root = data_root(data, options_.data); root && !has_root(options_))
      one.sets.push_back("data.root=" + root->string());
    for (const auto& file : data.weights) {
      const auto path = fs::absolute(options_.data / "weights" / file).lexically_normal();
      if (!options_.data.empty() && fs::exists(path)) {
        one.sets.push_back("model.pretrained=" + path.string());
        break;
      }
    }
    for (auto& assignment : sets_of(run, data)) one.sets.push_back(std::move(assignment));
    one.sets.push_back(fmt::format("train.seed={}", seed));
    one.sets.insert(one.sets.end(), options_.sets.begin(), options_.sets.end());
    return one;
  }

  SuiteRecord one(const SuiteData& data, const SuiteRun& run, int64_t seed) const {
    const auto options = options_of(data, run, seed);
    SuiteRecord record = {.suite = suite_.name,
                          .profile = profile_.name,
                          .data = data.name,
                          .label = run.label,
                          .seed = seed,
                          .commit = commit(),
                          .libtorch = torch_version(),
                          .threads = options_.threads};
    const auto file = record_path(records_, record, run.folder);
    if (suite_.keeps_records && !options_.overwrite && fs::exists(file)) {
      auto known = read_record(file);
      if (const auto why = difference(known.identity, identify(options)))
        throw_error<ConfigError>(
            "{}: is the record of another run ({}); keep both with --results DIR, or replace it "
            "with --overwrite",
            file.string(), *why);
      if (options_.resume) {
        log_info("{} {}: recorded in {}", suite_.name, run.label, file.string());
        return known;
      }
    }
    log_info("{} {}: {}", suite_.name, run.label, options.out.string());
    const auto start = std::chrono::steady_clock::now();
    auto result = lethe::run(options);
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    record.resumed = result.was_resumed;
    if (result.was_finished)
      record.commit = environment_of(options.out).value("commit", record.commit);
    record.identity = std::move(result.identity);
    record.outcome = std::move(result.outcome);
    log_lines(fmt::format("\n{}\n", result.summary));
    if (suite_.keeps_records) write_record(file, record);
    return record;
  }

  const Suite& suite_;
  const SuiteProfile& profile_;
  const SuiteOptions& options_;
  fs::path cache_;
  fs::path records_;
};

// The commits, versions and numbers of threads in the records, each once.
std::string origins(const std::vector<SuiteRecord>& records) {
  std::set<std::string> commits, versions, threads;
  for (const auto& record : records) {
    commits.insert(record.commit);
    versions.insert(record.libtorch);
    threads.insert(std::to_string(record.threads));
  }
  return fmt::format("commit {}, LibTorch {}, {} thread{}", fmt::join(commits, ", "),
                     fmt::join(versions, ", "), fmt::join(threads, " or "),
                     threads == std::set<std::string>{"1"} ? "" : "s");
}

// Keys in which the suite lets its own rows differ.
std::set<std::string> varied_keys(const Suite& suite, const SuiteProfile& profile) {
  std::set<std::string> keys;
  const auto add = [&](const std::vector<std::string>& sets) {
    for (const auto& assignment : sets) keys.insert(assignment.substr(0, assignment.find('=')));
  };
  for (const auto& run : suite.runs) add(run.sets);
  for (const auto& data : profile.data) {
    for (const auto& [label, sets] : data.tuned) add(sets);
  }
  return keys;
}

constexpr const char* kLegend =
    "A: accuracy of kept classes, F: fall of accuracy of forgotten ones, S: their harmonic mean; "
    "percent";

// Segmentation has one accuracy; empty.
std::string accuracy_note(const std::vector<SuiteRecord>& records) {
  const auto has_images = [](const SuiteRecord& record) {
    const auto name = record.identity.config.find("data.name");
    if (name == record.identity.config.end()) return false;
    const auto& all = builtin_datasets();
    return std::any_of(all.begin(), all.end(), [&](const DatasetEntry& entry) {
      return entry.problem == Problem::kImages && name->second == '"' + entry.name + '"';
    });
  };
  if (std::none_of(records.begin(), records.end(), has_images)) return "";
  std::string note =
      "A, F and S are measured with the task given: only the classes of its task compete.";
  if (std::any_of(records.begin(), records.end(),
                  [](const SuiteRecord& record) { return record.outcome.last.a_all.has_value(); }))
    note += " \"A all\" is the accuracy of kept classes over all classes seen.";
  return note;
}

std::string document_text(const Suite& suite, const SuiteResults& results, const std::string& how,
                          const std::string& body) {
  const bool several = std::any_of(
      results.records.begin(), results.records.end(),
      [&](const SuiteRecord& record) { return record.seed != results.records.front().seed; });
  const auto note = accuracy_note(results.records);
  return fmt::format("# Suite {}\n\n{}. Written by {} ({}).\n{}{}.{}{}\n\n{}", suite.name,
                     suite.summary, how, origins(results.records), kLegend,
                     several ? ", mean and standard deviation over seeds" : "",
                     note.empty() ? "" : " ", note, body);
}

}  // namespace

std::string run_suite(SuiteOptions options) {
  const auto suite = find_suite(options.name);
  const auto& profile = find_profile(suite, options.profile);
  check_options(options);
  if (options.from_records && !suite.keeps_records)
    throw_error<ConfigError>("--from-records: suite '{}' keeps no records", suite.name);
  if (!options.results.empty() && !suite.keeps_records)
    throw_error<ConfigError>("--results: suite '{}' keeps no records; --markdown writes its table",
                             suite.name);
  const auto to_resume = resume_command(options);
  // In a clone of the source, tables and records are part of its documentation.
  if (options.results.empty())
    options.results = fs::is_directory("docs/results") ? "docs/results" : "results";

  std::vector<SuiteRecord> records;
  try {
    if (!options.from_records) records = SuiteRunner(suite, profile, options).run();
  } catch (const Interrupted& stop) {
    throw_error<Interrupted>("{}; to resume: {}", stop.what(), to_resume);
  }
  if (suite.keeps_records)
    records = read_records(options.results / "records", suite.name, profile.name);
  if (records.empty())
    throw_error<DataError>("{}: no records of suite '{}'", (options.results / "records").string(),
                           suite.name);

  SuiteResults results = {.suite = suite.name,
                          .profile = profile.name,
                          .data = {},
                          .labels = {},
                          .records = records,
                          .paper = suite.paper};
  for (const auto& data : profile.data) {
    if (std::any_of(records.begin(), records.end(),
                    [&](const SuiteRecord& record) { return record.data == data.name; }))
      results.data.push_back(data.name);
  }
  for (const auto& run : suite.runs) results.labels.push_back(run.label);
  auto document = find_layout(suite.layout).make(results);
  // Records may come from several calls with different settings.
  const auto mixed =
      suite.keeps_records ? mixed_settings(records, varied_keys(suite, profile)) : std::string();
  if (!mixed.empty()) {
    log_warning("the table mixes settings: {}", mixed);
    document.body =
        fmt::format("**Mixed settings, no comparison:** {}\n\n{}", mixed, document.body);
  }

  if (suite.keeps_records) {
    const bool is_default = profile.name == suite.profiles.front().name;
    const std::string stem = suite.name + (is_default ? "" : '-' + profile.name);
    const auto how = fmt::format("`lethe suite {}{}` from {} in `records/`", options.name,
                                 is_default ? "" : " --profile " + profile.name,
                                 counted(static_cast<int64_t>(records.size()), "record"));
    write_atomically(options.results / (stem + ".md"),
                     document_text(suite, results, how, document.body));
    for (const auto& [ending, text] : document.files)
      write_atomically(options.results / (stem + ending), text);
  }
  if (!options.markdown.empty())
    write_atomically(options.markdown,
                     document_text(suite, results, '`' + command_of(options) + " --markdown ...`",
                                   document.body));
  if (const auto note = accuracy_note(records); !note.empty()) log_info("{}", note);
  return document.body;
}

}  // namespace lethe
