#include "tools/suite/suite_check.h"

#include <fmt/format.h>

#include <map>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/data/load_data.h"
#include "lethe/run/experiment.h"

namespace lethe {

namespace {

// No warnings within its scope: a run repeats them when it starts.
class QuietLog {
 public:
  QuietLog() : before_(log_level()) { set_log_level(LogLevel::kOff); }
  ~QuietLog() { set_log_level(before_); }
  QuietLog(const QuietLog&) = delete;
  QuietLog& operator=(const QuietLog&) = delete;

 private:
  LogLevel before_;
};

// Lets errors of check() name the suite and the run.
template <typename Check>
void named(const std::string& origin, const std::string& run, Check&& check) {
  const QuietLog quiet;
  try {
    check();
  } catch (const ConfigError& error) {
    throw_error<ConfigError>("{}: {}: {}", origin, run, error.what());
  } catch (const DataError& error) {
    throw_error<DataError>("{}: {}: {}", origin, run, error.what());
  }
}

// What the checks need to know of a dataset.
struct DataFacts {
  DatasetInfo info;
  int64_t images = 0;  // training images
};

DataFacts facts_of(DataOptions options) {
  options.undecodable = "error";  // "skip" would decode every image
  const auto data = load_data(options);
  return {.info = data.train->info(), .images = data.train->size()};
}

}  // namespace

std::vector<std::string> sets_of(const SuiteRun& run, const SuiteData& data) {
  std::vector<std::string> sets;
  if (!run.method.empty()) sets.push_back("method.name=" + run.method);
  sets.insert(sets.end(), run.sets.begin(), run.sets.end());
  if (const auto tuned = data.tuned.find(run.label); tuned != data.tuned.end())
    sets.insert(sets.end(), tuned->second.begin(), tuned->second.end());
  return sets;
}

std::string name_of(const SuiteRun& run, const SuiteData& data) {
  return fmt::format("run '{}'{}", run.label,
                     data.name.empty() ? "" : fmt::format(" on '{}'", data.name));
}

void check_configurations(const Suite& suite, const std::string& origin) {
  for (const auto& profile : suite.profiles) {
    for (const auto& data : profile.data) {
      for (const auto& run : suite.runs) {
        named(origin, name_of(run, data), [&] {
          auto sets = data.sets;
          for (auto& assignment : sets_of(run, data)) sets.push_back(std::move(assignment));
          RunConfig config;
          configure(config, read_config(data.config, sets));
        });
      }
    }
  }
}

void check_runs(const std::vector<PlannedRun>& runs, const std::string& origin) {
  std::map<std::string, DataFacts> known;  // by [data] section
  for (const auto& run : runs) {
    named(origin, run.name, [&] {
      RunConfig config;
      configure(config, read_config(run.config, run.sets));
      const auto section = to_toml(config_fields(config.data));
      auto facts = known.find(section);
      if (facts == known.end()) facts = known.emplace(section, facts_of(config.data)).first;
      check_experiment(config, facts->second.info, facts->second.images);
    });
  }
}

}  // namespace lethe
