#include "lethe/record/run_files.h"

#include <algorithm>

#include "lethe/core/files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

const std::vector<RunFile>& run_files() {
  static const std::vector<RunFile> files = {
      {kConfigFile,
       "resolved configuration; on the same build and machine, rerunning it with the same number "
       "of threads gives bit-identical results"},
      {kEnvironmentFile, "versions, commit, CPU, threads"},
      {kMetricsFile,
       "losses, learning rates, evaluations and scores; all wall-clock times are in the field "
       "\"time\""},
      {kMatrixFile,
       "accuracy on each task after each task, for kept and forgotten classes, and the numbers of "
       "samples; classification: with the task given"},
      {kPerClassFile,
       "accuracy of every class after every task: with the task given, and over all classes seen; "
       "segmentation: recall and IoU"},
      {kLedgerFile,
       "every event: what was learned and forgotten, the verdicts, what was erased, hashes of the "
       "model and of the other files; each line has the hash of the line before"},
      {std::string(kVersions) + '/',
       "the newest versions of the model, a folder per event: model and state of the method "
       "(safetensors), checksums"},
      {std::string(kDataFolder) + '/',
       "the files of the datasets that were used, with their hashes; the ledger has a hash of each "
       "list"},
      {std::string(kRetrainFolder) + '/',
       "`lethe forget --exact`: the training without the forgotten classes, until the request is "
       "complete or dropped"},
      {kPendingFile, "a request or task that a command began and that is not complete"},
      {kFeaturesFile,
       "how far the features of forgotten classes moved, and the accuracy of a linear probe on "
       "them"},
      {kConfusionFile, "segmentation: the confusion matrix of every evaluation"},
      {kPredictionsFile, "segmentation: predictions before and after forgetting"},
      {kLockFile, "lock: prevents a second process from using the run directory"},
  };
  return files;
}

bool is_run_file(const std::string& name) {
  return std::any_of(run_files().begin(), run_files().end(), [&](const RunFile& file) {
    return file.name == name || file.name == name + '/';
  });
}

}  // namespace lethe
