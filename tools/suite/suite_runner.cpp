#include "tools/suite/suite_runner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "lethe/audit/references.h"
#include "lethe/audit/verdict.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/nearest.h"
#include "lethe/core/system.h"
#include "lethe/method/registry.h"
#include "lethe/record/environment.h"
#include "lethe/record/run_folder.h"
#include "lethe/run/runner.h"
#include "tools/suite/suite_check.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

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
  if (!options.datasets.empty() &&
      std::all_of(known.begin(), known.end(), [](const auto& name) { return name.empty(); }))
    throw_error<ConfigError>("--datasets: the dataset of suite '{}' has no name; leave it out",
                             suite.name);
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
        if (!data.has(run)) continue;
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
        if (!data.has(run)) continue;
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
                   .cache_stays = true,
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
    if (!suite_.audit.empty()) add_audit(record, options.out);
    if (suite_.keeps_records) write_record(file, record);
    return record;
  }

  // Audits the newest version of a finished run. All runs of the suite share the oracles.
  void add_audit(SuiteRecord& record, const fs::path& run) const {
    RunConfig config;
    read_run_config(config, run);
    auto options = config.audit;
    if (options.cache.empty()) options.cache = (cache_ / "oracles").string();
    const auto audit =
        audit_version({.run = run, .only = suite_.audit, .threads = options_.threads}, options,
                      trained_oracles(options, {.side_by_side = 1}));
    write_audit(run, audit);
    record.audit = audit.checks;
    for (auto& check : record.audit) check.classes.clear();  // audit.json has them
    record.audit_references = audit.references;
    record.audit_request_seconds = audit.request_seconds;
    log_lines(fmt::format("\n{}\n", summary_of(audit)));
  }

  const Suite& suite_;
  const SuiteProfile& profile_;
  const SuiteOptions& options_;
  fs::path cache_;
  fs::path records_;
};

}  // namespace

std::vector<SuiteRecord> run_all(const Suite& suite, const SuiteProfile& profile,
                                 const SuiteOptions& options) {
  return SuiteRunner(suite, profile, options).run();
}

}  // namespace lethe
