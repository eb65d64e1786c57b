// Shows a run on the terminal: what a task brings, then one line with task, epoch, images/s, loss
// terms and time left.
#pragma once

#include <chrono>
#include <vector>

#include "lethe/core/progress.h"
#include "lethe/metrics/scores.h"
#include "lethe/trainer/events.h"
#include "lethe/trainer/options.h"

namespace lethe {

class ProgressListener : public Listener {
 public:
  // steps: of every task, to tell the time that is left. The plan outlives the listener.
  ProgressListener(const TaskPlan& plan, std::vector<int64_t> steps, const TrainOptions& train,
                   const ProgressOptions& options);

  void on(const TaskStarted& event) override;
  void on(const StepDone& event) override;
  void on(const Evaluated& event) override;

 private:
  const TaskPlan& plan_;
  std::vector<int64_t> steps_;
  int64_t epochs_, epochs_next_;
  ProgressLine line_;
  double task_seconds_ = 0;  // in this process, in this task
  int64_t task_steps_ = 0;
  double rate_ = 0;  // images/s, smoothed
};

}  // namespace lethe
