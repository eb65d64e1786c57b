// The fingerprint of the data that an event used: its list of files (the manifest) is a file of its
// own, whose hash is in the ledger. A command that reads a file that was changed, added or
// removed since then says so.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lethe/data/manifest.h"
#include "lethe/data/options.h"
#include "lethe/record/ledger.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// Hashes all files of a dataset. Generated data has none.
Manifest manifest_of(const DataOptions& options);

// Writes the manifest into the run directory. Returns the value of kDataKey.
nlohmann::ordered_json record_data(const std::filesystem::path& run, const DataOptions& options,
                                   const Manifest& manifest);

// The classes of the images that a command reads.
struct DataUse {
  std::vector<std::string> train;
  std::vector<std::string> test;
  // Images of these classes must not change, but some may be gone.
  std::vector<std::string> train_if_there;
  std::vector<std::string> test_if_there;
};

// Compares the files of a dataset with its manifest. recorded: the value of kDataKey. Throws
// DataError if a file that the command reads was changed, added or removed; names the first. Other
// differences only give a one-line warning: images of past tasks and of forgotten classes may be
// gone.
void check_recorded_data(const std::filesystem::path& run, const nlohmann::ordered_json& recorded,
                         const DataOptions& options, const DataUse& use);

// The same for all datasets of a run: the one of its configuration, and those of `lethe learn`,
// whose test images are read.
void check_run_data(const std::filesystem::path& run, const Ledger& ledger,
                    const DataOptions& options, DataUse use);

// For `lethe verify`: one line for each dataset of the run whose files are not as recorded.
std::vector<std::string> data_notes(const std::filesystem::path& run, const Ledger& ledger,
                                    const DataOptions& options);

// The first difference between the files of a dataset and its manifest; empty if there is none.
std::string first_change(const std::filesystem::path& run, const nlohmann::ordered_json& recorded,
                         const DataOptions& options);

// The names of a set of classes.
std::vector<std::string> class_names(const TaskPlan& plan, const ClassSet& classes);

}  // namespace lethe
