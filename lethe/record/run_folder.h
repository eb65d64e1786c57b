// The run directory: made, locked and, if the start fails, taken away again. It never touches what
// it does not know: a folder that is neither empty nor a run is refused.
#pragma once

#include <filesystem>
#include <memory>

#include "lethe/core/files.h"
#include "lethe/trainer/events.h"

namespace lethe {

// Says whether a run may start (or go on, with resume) in the folder; touches nothing. Throws
// ConfigError: a file, a folder of something else, a run with a checkpoint and no resume.
void check_run_folder(const std::filesystem::path& folder, bool resume);

// Removes what a run wrote into the folder, and the folder if nothing else is in it. Throws
// ConfigError if it is no run or another process works there.
void remove_run(const std::filesystem::path& folder);

// Hears the trainer: from the first step on the folder is worth keeping.
class RunFolder : public Listener {
 public:
  // Makes the folder if need be, locks it, removes what a killed process had not put in place.
  // Throws as check_run_folder, ConfigError if another process works there, Error if it cannot be
  // made.
  RunFolder(const std::filesystem::path& path, bool resume);
  ~RunFolder() override;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  void on(const StepDone&) override { keep(); }
  void on(const TaskDone&) override { keep(); }
  void keep() { keep_ = true; }

 private:
  std::filesystem::path path_;
  bool made_ = false;  // by us
  bool keep_ = false;
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace lethe
