#include "lethe/run/replay.h"

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/record/run_files.h"
#include "lethe/run/runner.h"
#include "lethe/run/session.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// A run directory with the version before the event, removed by the destructor.
class ScratchRun {
 public:
  ScratchRun(const fs::path& run, int64_t event) : path_(replay_folder(run)) {
    shred(path_);
    fs::create_directories(path_ / kVersions);
    if (event > 1) {
      const auto before = version_of(run, event - 1);
      fs::create_directory_symlink(fs::absolute(before), path_ / kVersions / before.filename());
    }
    fs::copy_file(run / kMetricsFile, path_ / kMetricsFile);
  }
  ~ScratchRun() { shred(path_); }
  ScratchRun(const ScratchRun&) = delete;
  ScratchRun& operator=(const ScratchRun&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

std::string replay_sums(const ReplayOptions& options) {
  RunConfig config;
  read_run_config(config, options.run);
  config.model.pretrained.clear();  // the version has all weights
  const ScratchRun scratch(options.run, options.event);
  const auto experiment = make_experiment(config, options.history);
  Session session(config, experiment, scratch.path(), options.threads, {});
  session.close = [&](const TaskDone& done) {
    return options.close(done, session.keeper(), session.recorder().table());
  };
  if (!session.resume()) session.recorder().start_afresh();
  session.run();
  if (session.trainer().rejected()) return "";
  return read_text(version_of(scratch.path(), options.event) / kSums);
}

}  // namespace lethe
