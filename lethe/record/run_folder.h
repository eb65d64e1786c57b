// Creates and locks the run directory, and removes it again if the start fails. Other files are
// never touched: a folder that is neither empty nor a run directory is an error.
#pragma once

#include <filesystem>
#include <memory>

#include "lethe/core/files.h"
#include "lethe/trainer/events.h"

namespace lethe {

// Whether the folder is a run of lethe 0.1, which had no ledger.
bool is_old_run(const std::filesystem::path& folder);

// Checks that a run can start (or continue, with resume) in the folder; changes nothing. Throws
// ConfigError if it is a file, if it contains other files, or if it is a run with a checkpoint and
// resume is false.
void check_run_folder(const std::filesystem::path& folder, bool resume);

// Removes all files of a run from the folder, and the folder if it is then empty. Throws
// ConfigError if it is not a run directory or if another process uses it.
void remove_run(const std::filesystem::path& folder);

// Listens to the trainer: from the first step on, the folder is kept.
class RunFolder : public Listener {
 public:
  // Creates the folder if necessary, locks it, and removes temporary files of a killed process.
  // Throws as check_run_folder does; also ConfigError if another process uses the folder, and Error
  // if it cannot be created.
  RunFolder(const std::filesystem::path& path, bool resume);
  ~RunFolder() override;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  void on(const StepDone&) override { keep(); }
  void on(const TaskDone&) override { keep(); }
  void keep() { keep_ = true; }

 private:
  std::filesystem::path path_;
  bool made_ = false;  // created by this object
  bool keep_ = false;
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace lethe
