#include "lethe/record/recover.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/record/run_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

std::optional<std::string> lost_end(const fs::path& run, const Ledger& ledger) {
  for (const auto version : versions_of(run)) {
    if (version > ledger.last_event())
      return fmt::format("{}: has no complete line for version {}: its end was changed or removed",
                         (run / kLedgerFile).string(), version);
  }
  return {};
}

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
  if (const auto lost = lost_end(run, ledger)) throw DataError(*lost);
  for (const auto& name : ledger.removed()) {
    const fs::path path = name;
    if (path.is_relative() || path == ledger.cache_entry()) shred(run / path);
  }
}

}  // namespace lethe
