// `lethe purge`: removes what is left of erased classes in a run directory, for instance versions
// that forget.keep_before kept for an auditor.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

struct PurgeOptions {
  std::vector<std::string> classes = {};  // only what is left of these; empty = of all
  bool file_lists = false;  // also the lists of image files, which name images of all classes
};

struct Leftovers {
  // Files and folders that know an erased class, relative to the run; an entry of the first-task
  // cache as an absolute path.
  std::vector<std::string> files;
  // Forgotten, but not erased: their classifier rows and the state of the method are in the newest
  // version (forget.protocol = "paper" with forget.keep_before). erase_forgotten() erases them.
  std::vector<std::string> classes;
  std::vector<std::string> their_versions;  // that know these classes; removed when they are erased
  std::vector<std::string> notes;           // what a purge cannot remove
};

// Reads only. Throws DataError if the ledger was changed, ConfigError if a class of the options was
// never forgotten.
Leftovers find_leftovers(const std::filesystem::path& run, const PurgeOptions& options = {});

// Writes the removal into the ledger, then overwrites and removes the files. Call while the run
// directory is locked. Does nothing if there is nothing to remove.
void remove_leftovers(const std::filesystem::path& run, const PurgeOptions& options = {});

// For the end of a command: which files still know erased classes, which forgotten classes are
// still in the model, and the command that removes both. Empty if there are none.
std::string leftovers_text(const std::filesystem::path& run);

}  // namespace lethe
