#include "lethe/audit/oracle_cache.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/verify.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr const char* kConfig = "config.toml";
constexpr const char* kTask = "oracle.json";
constexpr int64_t kFormat = 1;

fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

std::string text_or_empty(const fs::path& file) { return fs::exists(file) ? read_text(file) : ""; }

}  // namespace

fs::path default_oracle_cache() {
  const auto part = fs::path("lethe") / "oracles";
  // The specification of XDG_CACHE_HOME says that relative paths are to be ignored.
  if (const auto cache = folder_in("XDG_CACHE_HOME"); cache.is_absolute()) return cache / part;
  if (const auto home = folder_in("HOME"); home.is_absolute()) return home / ".cache" / part;
  throw ConfigError("no folder for oracles is known: set audit.cache");
}

fs::path oracle_entry(const fs::path& cache, const OracleSpec& spec) { return cache / spec.key; }

fs::path oracle_run(const fs::path& entry) { return entry / "run"; }

fs::path oracle_output(const fs::path& entry) { return entry / "output.txt"; }

fs::path learn_file(const fs::path& entry, size_t index) {
  return entry / fmt::format("learn-{}.toml", index + 1);
}

bool is_trained(const fs::path& entry, const OracleSpec& spec) {
  const auto run = oracle_run(entry);
  if (Ledger(run).last_event() < spec.event) return false;
  require_intact(run);
  return true;
}

void write_task(const fs::path& entry, const OracleSpec& spec) {
  if (text_or_empty(entry / kConfig) != spec.config) remove_run(oracle_run(entry));
  write_atomically(entry / kConfig, spec.config);
  ordered_json learned = ordered_json::array();
  for (size_t i = 0; i < spec.learned.size(); ++i) {
    write_atomically(learn_file(entry, i), spec.learned[i].data);
    learned.push_back(to_json(spec.learned[i]));
  }
  const ordered_json task = {{"format", kFormat},   {"name", spec.name()}, {"key", spec.key},
                             {"tasks", spec.tasks}, {"event", spec.event}, {"learned", learned}};
  write_atomically(entry / kTask, task.dump(1) + '\n');
}

OracleTask read_task(const fs::path& entry) {
  const auto file = entry / kTask;
  try {
    const auto json = ordered_json::parse(read_text(file));
    OracleTask task = {.config = entry / kConfig,
                       .learned = {},
                       .tasks = json.at("tasks"),
                       .event = json.at("event")};
    for (const auto& one : json.at("learned")) task.learned.push_back(to_added_event(one));
    if (json.at("format") == kFormat) return task;
  } catch (const ordered_json::exception& error) {
    throw_error<DataError>("{}: is not an oracle: {}", file.string(), error.what());
  }
  throw_error<DataError>("{}: has a format that this program does not know", file.string());
}

}  // namespace lethe
