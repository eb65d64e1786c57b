#include "lethe/record/run_files.h"

#include <algorithm>

#include "lethe/core/files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

const std::vector<RunFile>& run_files() {
  static const std::vector<RunFile> files = {
      {kConfigFile, "the resolved configuration; reproduces the run bit for bit"},
      {kEnvironmentFile, "versions, commit, CPU, threads"},
      {kMetricsFile, "losses, learning rates, evaluations and scores; wall times under \"time\""},
      {kMatrixFile, "accuracy of every task after every task, kept and forgotten classes apart"},
      {kPerClassFile,
       "accuracy of every class after every task: with the task given and over all classes; for "
       "masks recall and IoU"},
      {kRequestsFile,
       "the ledger: every request, what was done, accuracy and model hash before and after, "
       "verdict"},
      {std::string(kCheckpoints) + '/',
       "a folder per finished task: model, method and optimiser state, checksums"},
      {kFeaturesFile, "forgotten classes in the features: how far they moved, and a linear probe"},
      {kConfusionFile, "masks: the confusion matrix of every evaluation"},
      {kPredictionsFile, "masks: predictions before and after forgetting"},
      {kLockFile, "keeps a second process out while the run is in use"},
  };
  return files;
}

bool is_run_file(const std::string& name) {
  return std::any_of(run_files().begin(), run_files().end(), [&](const RunFile& file) {
    return file.name == name || file.name == name + '/';
  });
}

}  // namespace lethe
