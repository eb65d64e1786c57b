// The fingerprint of the data that an event used: its list of files (the manifest) is a file of its
// own, whose hash is in the ledger. A command that reads a file that was changed, added or
// removed since then says so.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lethe/data/options.h"
#include "lethe/record/ledger.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// Hashes all files of a dataset and writes the manifest into the run directory. A file whose size
// and time are in the manifest already is not read again. Returns the value of kDataKey.
nlohmann::ordered_json record_data(const std::filesystem::path& run, const DataOptions& options);

// The images that a command reads.
struct DataUse {
  std::vector<std::string> train;  // classes of training images
  std::vector<std::string> test;   // classes of test images
};

// Compares the files of a dataset with its manifest. line: the ledger line that recorded it. Throws
// a DataError that names the first file that the command reads and that was changed, added or
// removed. Says in one line if other files differ: images of past tasks and of forgotten classes
// may be gone.
void check_recorded_data(const std::filesystem::path& run, const nlohmann::ordered_json& line,
                         const DataOptions& options, const DataUse& use);

// The names of a set of classes.
std::vector<std::string> class_names(const TaskPlan& plan, const ClassSet& classes);

}  // namespace lethe
