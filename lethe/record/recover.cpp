#include "lethe/record/recover.h"

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

void recover_run(const fs::path& run) {
  const Ledger ledger(run);
  if (ledger.empty()) return;
  shred(replay_folder(run));
  const auto versions = versions_of(run);
  for (const auto version : versions) {
    if (version <= ledger.last_event()) continue;
    // A version is written before the version before it is removed. If that one is gone, the event
    // was complete and its line was removed from the ledger.
    const bool repeatable =
        version == 1 || std::find(versions.begin(), versions.end(), version - 1) != versions.end();
    if (version != ledger.last_event() + 1 || !repeatable)
      throw_error<DataError>("{}: has no line for version {}: the end of the ledger was removed",
                             (run / kLedgerFile).string(), version);
    shred(version_of(run, version));
  }
  for (const auto& line : ledger.lines()) {
    if (!line.contains("removed")) continue;
    for (const auto& name : line.at("removed")) shred(run / name.get<std::string>());
  }
}

}  // namespace lethe
