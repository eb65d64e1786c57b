#include "lethe/run/progress_listener.h"

#include <fmt/format.h>

#include "lethe/core/log.h"
#include "lethe/core/text.h"

namespace lethe {

std::string status_text(const StepStatus& status) {
  auto text = fmt::format("task {}/{} ", status.task, status.tasks);
  text += status.has_images ? fmt::format("epoch {}/{}", status.epoch, status.epochs)
                            : fmt::format("step {}/{}", status.step, status.steps);
  text += fmt::format(" | {} left", duration_text(status.seconds_left));
  const double rate = status.images_per_second;
  if (status.has_images) text += fmt::format(" | {:.{}f} images/s", rate, rate < 10 ? 1 : 0);
  text += fmt::format(" | loss {:.3f}", status.loss);
  if (status.terms.size() > 1) text += " |";
  for (const auto& [name, value] : status.terms) {
    if (status.terms.size() > 1) text += fmt::format(" {} {:.3g}", name, value);
  }
  return text;
}

ProgressListener::ProgressListener(const TaskPlan& plan, std::vector<int64_t> steps,
                                   const TrainOptions& train, const ProgressOptions& options)
    : plan_(plan),
      steps_(std::move(steps)),
      epochs_(train.epochs_of(1)),
      epochs_next_(train.epochs_of(2)),
      line_(options) {}

void ProgressListener::on(const TaskStarted& event) {
  const auto& task = event.task;
  std::string text = fmt::format("task {}/{}:", task.number, plan_.tasks().size());
  if (task.purges()) {
    log_info("{} erase {}; no training", text, plan_.short_names(task.purged));
    return;
  }
  if (task.retrained) {
    log_info("{} forget {}; the model was trained without it", text,
             plan_.short_names(task.requested));
    return;
  }
  if (task.learns())
    text += fmt::format(" learn {} ({})", plan_.short_names(task.new_classes),
                        counted(event.images, "image"));
  if (!task.requested.empty())
    text +=
        fmt::format("{} forget {}", task.learns() ? ";" : "", plan_.short_names(task.requested));
  if (task.on_kept_images)
    text += fmt::format(" with {} of kept classes{}", counted(event.images, "image"),
                        task.on_forgotten_images ? " and of the classes to forget" : "");
  // Without images, the method may have nothing to do.
  text += fmt::format("; {}{}", task.has_images() ? "" : "up to ", counted(event.steps, "step"));
  if (event.first_step > 0) text += fmt::format(", resumed after {}", event.first_step);
  log_info("{}", text);
  epochs_of_task_ = task.epochs.value_or(task.number == 1 ? epochs_ : epochs_next_);
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
  const auto steps_of_task = steps_.at(static_cast<size_t>(at.task - 1));
  int64_t left = steps_of_task - at.task_step - 1;
  for (auto later = static_cast<size_t>(at.task); later < steps_.size(); ++later)
    left += steps_[later];
  const auto done = static_cast<double>(task_steps_);
  StepStatus status = {
      .task = at.task,
      .tasks = static_cast<int64_t>(steps_.size()),
      .epoch = at.epoch + 1,
      .epochs = epochs_of_task_,
      .step = at.task_step + 1,
      .steps = steps_of_task,
      .has_images = event.images > 0,
      .seconds_left = seconds_left(task_seconds_, done, done + static_cast<double>(left)),
      .images_per_second = rate_,
      .loss = event.loss,
      .terms = {}};
  for (const auto& term : event.terms)
    status.terms.emplace_back(term.name, term.value * term.weight);
  // The last step of a task is always shown: it stays visible while the task is evaluated.
  line_.show(status_text(status), /*force=*/at.task_step + 1 == steps_of_task);
}

void ProgressListener::on(const Evaluated& event) {
  if (event.moment == Moment::kErased) return;
  const bool task_end = event.moment == Moment::kEnd;
  if (task_end) line_.clear();
  int64_t correct = 0;
  int64_t correct_all = 0;
  int64_t total = 0;
  for (const ClassId id : plan_.task(event.position.task).seen()) {
    correct += event.evaluation.correct(id);
    correct_all += event.evaluation.correct_all(id);
    total += event.evaluation.total(id);
  }
  const auto percent = [&](int64_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(total);
  };
  auto text = fmt::format("task {}", event.position.task);
  if (!task_end) text += fmt::format(" epoch {}", event.position.epoch + 1);
  if (total == 0) {
    log_info("{}: not evaluated, there is no test image", text);
    return;
  }
  if (plan_.problem() == Problem::kMasks) {
    log_info("{}: {:.1f} % of pixels correct", text, percent(correct));
  } else {
    log_info("{}: {:.1f} % of images correct with the task given, {:.1f} % over all classes seen",
             text, percent(correct), percent(correct_all));
  }
}

}  // namespace lethe
