#include "lethe/record/recover.h"

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
  // Killed before the line of the event was written, or right after it.
  for (const auto& folder : new_folders(run)) {
    const auto final_name = folder.parent_path() / folder.stem();
    const auto& last = ledger.lines().back();
    const bool complete = last.contains("version") &&
                          last.at("version").at("folder") == final_name.filename().string();
    if (complete && !fs::exists(final_name)) {
      fs::rename(folder, final_name);
    } else {
      shred(folder);
    }
  }
  for (const auto version : versions_of(run)) {
    if (version > ledger.last_event())
      throw_error<DataError>("{}: has no line for version {}: the end of the ledger was removed",
                             (run / kLedgerFile).string(), version);
  }
  for (const auto& line : ledger.lines()) {
    if (!line.contains("removed")) continue;
    for (const auto& name : line.at("removed")) shred(run / name.get<std::string>());
  }
}

}  // namespace lethe
