// Shows a run on the terminal: a line per task, then one progress line with the time left,
// images/s, loss and loss terms, then the result of each evaluation.
#pragma once

#include <string>
#include <vector>

#include "lethe/core/progress.h"
#include "lethe/metrics/scores.h"
#include "lethe/trainer/events.h"
#include "lethe/trainer/options.h"

namespace lethe {

// The content of the progress line.
struct StepStatus {
  int64_t task = 1, tasks = 1;
  int64_t epoch = 1, epochs = 1;  // with images
  int64_t step = 1, steps = 1;    // without images
  bool has_images = true;
  double seconds_left = 0;
  double images_per_second = 0;
  double loss = 0;
  std::vector<std::pair<std::string, double>> terms;  // weighted
};

// "task 2/5 epoch 3/4 | 1m20s left | 950 images/s | loss 0.412 | ce 0.3 kd 0.1": the important
// parts first, because a terminal cuts the end.
std::string status_text(const StepStatus& status);

class ProgressListener : public Listener {
 public:
  // steps: the number of steps of every task, for the time left. The plan must outlive the
  // listener.
  ProgressListener(const TaskPlan& plan, std::vector<int64_t> steps, const TrainOptions& train,
                   const ProgressOptions& options);

  void on(const TaskStarted& event) override;
  void on(const StepDone& event) override;
  void on(const Evaluated& event) override;

 private:
  const TaskPlan& plan_;
  std::vector<int64_t> steps_;
  int64_t epochs_, epochs_next_;
  int64_t epochs_of_task_ = 1;
  ProgressLine line_;
  double task_seconds_ = 0;  // in this process, in this task
  int64_t task_steps_ = 0;
  double rate_ = 0;  // images/s, smoothed
};

}  // namespace lethe
