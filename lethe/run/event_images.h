// The images that a command brings for an event (`--data`): checks before they are used.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/data/manifest.h"
#include "lethe/run/data_record.h"
#include "lethe/run/experiment.h"

namespace lethe {

// Classes whose images a request must not use.
struct BarredClasses {
  std::vector<std::string> names;  // to forget, or erased before
  bool is_allowed = false;         // the operator allows images of the classes to forget
};

// Whether two names are the same but for upper and lower case (ASCII).
bool differ_in_case_only(const std::string& a, const std::string& b);

// Refuses images of barred classes that would not be noticed by their class name: folders whose
// name differs only in upper and lower case, and copies of recorded images in other folders (for
// classification). Throws a ConfigError that names the folder or file.
void check_for_barred(const std::filesystem::path& run, const Ledger& ledger,
                      const DataOptions& options, const Manifest& manifest,
                      const BarredClasses& barred);

// How many training images an event has.
struct ImageCounts {
  int64_t of_task = 0;     // learn: of new classes; forget: of kept classes
  int64_t to_forget = 0;   // forget: of the classes to forget, if the operator allows them
  int64_t unlabelled = 0;  // of classes that the run does not know
};
ImageCounts count_images(const Experiment& experiment, const Task& task);

// Whether --data is the dataset of the run itself.
bool is_same_source(const DataOptions& a, const DataOptions& b);

}  // namespace lethe
