// Searches all files of a run directory for rows of erased classes. Their marks are in the ledger.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lethe/trainer/events.h"

namespace lethe {

// The key of a ledger line with the marks of the classes that its event erased.
inline constexpr const char* kMarksKey = "marks";
nlohmann::ordered_json marks_json(const TaskDone& done, const TaskPlan& plan);

struct Scan {
  std::vector<std::string>
      found;  // "versions/001-learn/model.safetensors: contains a row of 'bird'"
  std::vector<std::string> kept;  // the same in files that `lethe purge` would remove
  int64_t marks = 0;              // rows that were searched for
  int64_t files = 0;
};

// Reads every file of the run directory. Throws DataError if the ledger was changed.
Scan scan_run(const std::filesystem::path& run);

}  // namespace lethe
