#include "lethe/run/progress_listener.h"

#include <fmt/format.h>

#include "lethe/core/log.h"

namespace lethe {

ProgressListener::ProgressListener(const TaskPlan& plan, std::vector<int64_t> steps,
                                   const TrainOptions& train, const ProgressOptions& options)
    : plan_(plan),
      steps_(std::move(steps)),
      epochs_(train.epochs),
      epochs_next_(train.epochs_next.value_or(train.epochs)),
      line_(options) {}

void ProgressListener::on(const TaskStarted& event) {
  const auto& task = event.task;
  std::string text = fmt::format("task {}/{}:", task.number, plan_.tasks().size());
  if (task.has_images())
    text += fmt::format(" learn {} ({} images)", plan_.names(task.new_classes), event.images);
  if (!task.requested.empty()) {
    text += fmt::format("{} forget {}", task.has_images() ? ";" : "", plan_.names(task.requested));
  }
  text += fmt::format("; {} steps", event.steps);
  if (event.first_step > 0) text += fmt::format(", resumed after {}", event.first_step);
  log_info("{}", text);
  task_seconds_ = 0;
  task_steps_ = 0;
  rate_ = 0;
}

void ProgressListener::on(const StepDone& event) {
  const auto& at = event.position;
  task_seconds_ += event.seconds;
  ++task_steps_;
  const double rate = static_cast<double>(event.images) / event.seconds;
  rate_ = task_steps_ == 1 ? rate : 0.9 * rate_ + 0.1 * rate;
  int64_t left = steps_.at(static_cast<size_t>(at.task - 1)) - at.task_step - 1;
  for (size_t later = static_cast<size_t>(at.task); later < steps_.size(); ++later)
    left += steps_[later];
  std::string text = fmt::format("task {}/{} ", at.task, steps_.size());
  if (event.images > 0)
    text += fmt::format("epoch {}/{} ", at.epoch + 1, at.task == 1 ? epochs_ : epochs_next_);
  text += fmt::format("step {}/{} ", at.task_step + 1, steps_.at(static_cast<size_t>(at.task - 1)));
  if (event.images > 0) text += fmt::format("{:.{}f} images/s ", rate_, rate_ < 10 ? 1 : 0);
  text += fmt::format("loss {:.3f}", event.loss);
  if (event.terms.size() > 1) {
    for (const auto& term : event.terms)
      text += fmt::format(" {} {:.3g}", term.name, term.value * term.weight);
  }
  const auto done = static_cast<double>(task_steps_);
  text += fmt::format(" left {}", duration_text(seconds_left(task_seconds_, done,
                                                             done + static_cast<double>(left))));
  // The last step of a task is always shown: it stays while the task is evaluated.
  line_.show(text, /*force=*/at.task_step + 1 == steps_.at(static_cast<size_t>(at.task - 1)));
}

void ProgressListener::on(const Evaluated& event) {
  if (event.task_end) line_.clear();
  int64_t correct = 0;
  int64_t total = 0;
  for (const ClassId id : plan_.task(event.position.task).seen()) {
    correct += event.evaluation.correct(id);
    total += event.evaluation.total(id);
  }
  log_info("task {}{}: {:.1f} % of {} right over all classes seen", event.position.task,
           event.task_end ? "" : fmt::format(" epoch {}", event.position.epoch + 1),
           total == 0 ? 0.0 : 100.0 * static_cast<double>(correct) / static_cast<double>(total),
           plan_.problem() == Problem::kMasks ? "pixels" : "images");
}

}  // namespace lethe
