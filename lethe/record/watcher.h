// The Watcher listens to the trainer and logs one-line warnings about problems that a user should
// not overlook: classes and tasks that were not learned, kept classes whose accuracy fell, requests
// without effect, a growing loss.
#pragma once

#include <optional>
#include <vector>

#include "lethe/metrics/scores.h"
#include "lethe/metrics/verdict.h"
#include "lethe/trainer/events.h"

namespace lethe {

class Watcher : public Listener {
 public:
  // table belongs to the recorder, which must be notified of an evaluation before the watcher. Both
  // references must outlive the watcher.
  Watcher(const TaskPlan& plan, const ScoreTable& table, const VerdictOptions& options)
      : plan_(plan), table_(table), options_(options) {}

  void on(const TaskStarted& event) override;
  void on(const StepDone& event) override;
  void on(const Evaluated& event) override;
  void on(const TaskDone& event) override;

 private:
  void warn_not_learned(const Task& task, const EvaluationRow& after) const;
  void warn_kept_falls(const Task& task, const EvaluationRow& after) const;
  void warn_of_requests(const RequestDone& done, int64_t event) const;

  const TaskPlan& plan_;
  const ScoreTable& table_;
  VerdictOptions options_;
  // The loss of the first step of the run and of the current task, and a running mean.
  int64_t steps_ = 0;
  std::optional<double> start_;
  double first_ = 0, running_ = 0;
  bool warned_ = false;
};

}  // namespace lethe
