// The cache of oracles, shared by all audits. An entry is a folder, named by the key of its oracle:
//
//   run/          an ordinary run directory, also of an oracle that is not finished
//   config.toml   the configuration of the run
//   oracle.json   what else is to be trained: the tasks of `lethe learn`
//   learn-2.toml  the data of its second task
//   output.txt    the messages of the last training
//
// An oracle never saw the forgotten classes, so an entry holds nothing of them. It does hold what
// was learned of all other classes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/audit/oracle_spec.h"
#include "lethe/run/stream_history.h"

namespace lethe {

// lethe/oracles in XDG_CACHE_HOME, else in ~/.cache. Throws ConfigError if neither is known.
std::filesystem::path default_oracle_cache();

// The folder of an oracle in the cache, and of its run.
std::filesystem::path oracle_entry(const std::filesystem::path& cache, const OracleSpec& spec);
std::filesystem::path oracle_run(const std::filesystem::path& entry);
std::filesystem::path oracle_output(const std::filesystem::path& entry);

// Whether the oracle is trained up to spec.event. Throws DataError if its run was damaged.
bool is_trained(const std::filesystem::path& entry, const OracleSpec& spec);

// What is to be trained in an entry.
struct OracleTask {
  std::filesystem::path config;
  std::vector<AddedEvent> learned;
  int64_t tasks = 0;  // of the configuration
  int64_t event = 0;  // the last event to train
};

// Call while the entry is locked. An unfinished run with other paths starts again.
void write_task(const std::filesystem::path& entry, const OracleSpec& spec);
// Throws DataError.
OracleTask read_task(const std::filesystem::path& entry);
// The file with the data of a task of `lethe learn`; index counts from 0.
std::filesystem::path learn_file(const std::filesystem::path& entry, size_t index);

}  // namespace lethe
