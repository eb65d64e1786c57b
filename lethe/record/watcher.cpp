#include "lethe/record/watcher.h"

#include <fmt/format.h>

#include <string>

#include "lethe/core/log.h"

namespace lethe {

namespace {

constexpr int64_t kFirstSteps = 10;  // their mean loss is the reference
constexpr double kGrowth = 10;       // diverging: running loss / reference above this
constexpr double kMemory = 0.8;      // weight of the past in the running mean

std::string percents(double value) { return fmt::format("{:.1f} %", 100 * value); }

}  // namespace

void Watcher::on(const TaskStarted& event) {
  steps_ = 0;
  first_ = running_ = 0;
  warned_ = false;
  const auto& task = event.task;
  if (plan_.problem() == Problem::kImages && task.new_classes.size() == 1 &&
      task.scenario == Scenario::kTask)
    log_warning(
        "task {} has one class, '{}': with the task given its accuracy is always 100 %; look at "
        "the "
        "accuracy over all classes",
        task.number, plan_.names(task.new_classes));
}

void Watcher::on(const StepDone& event) {
  ++steps_;
  if (steps_ <= kFirstSteps) {
    first_ += event.loss / static_cast<double>(kFirstSteps);
    running_ = first_;
    return;
  }
  running_ = kMemory * running_ + (1 - kMemory) * event.loss;
  if (warned_ || running_ <= kGrowth * first_ || running_ <= kGrowth) return;
  warned_ = true;
  log_warning(
      "task {}: the loss grows, from {:.3g} in the first steps to {:.3g} at step {}: training "
      "diverges; lower {} or the weight of a loss term",
      event.position.task, first_, running_, event.position.task_step + 1,
      event.position.task == 1 ? "train.lr" : "train.lr_next");
}

void Watcher::on(const Evaluated& event) {
  if (!event.task_end) return;
  const auto& task = plan_.task(event.position.task);
  const auto* after = table_.end_row(task.number);
  if (after == nullptr) return;
  warn_not_learned(task, *after);
  warn_kept_falls(task, *after);
}

void Watcher::warn_not_learned(const Task& task, const EvaluationRow& after) const {
  const auto missed = not_learned(task, after, plan_, options_);
  if (missed.empty()) return;
  if (static_cast<int64_t>(missed.size()) == task.new_classes.size()) {
    log_warning("task {} was not learned: its classes are at chance level ({})", task.number,
                percents(missed.front().chance));
    return;
  }
  std::string names;
  for (const auto& one : missed)
    names += fmt::format("{}'{}' {}", names.empty() ? "" : ", ", plan_.class_name(one.id),
                         percents(one.after));
  log_warning("{} of the {} classes of task {} {} not learned (chance {}): {}", missed.size(),
              task.new_classes.size(), task.number, missed.size() == 1 ? "was" : "were",
              percents(missed.front().chance), names);
}

void Watcher::warn_kept_falls(const Task& task, const EvaluationRow& after) const {
  const auto* before = table_.end_row(task.number - 1);
  if (before == nullptr) return;
  const auto falls = kept_falls(task, *before, after, options_);
  if (falls.empty()) return;
  // One line with the number of classes and the worst of them.
  const KeptFall* worst = &falls.front();
  for (const auto& fall : falls) {
    if (fall.before - fall.after > worst->before - worst->after) worst = &fall;
  }
  log_warning(
      "{} kept class{} fell by more than {:.0f} points in task {}; the worst is '{}': {} to "
      "{}",
      falls.size(), falls.size() == 1 ? "" : "es", 100 * options_.kept_fall, task.number,
      plan_.class_name(worst->id), percents(worst->before), percents(worst->after));
}

void Watcher::on(const TaskDone& event) {
  const auto* before = table_.end_row(event.task.number - 1);
  const auto* after = table_.end_row(event.task.number);
  for (const auto& done : event.requests) {
    if (done.effect == RequestEffect::kIgnored)
      log_warning("the method does not use the forget set: nothing was done to forget '{}'",
                  plan_.names(done.request.classes));
    for (const ClassId id : done.request.classes) {
      const auto judged = judge(id, before, after, plan_, options_);
      const auto& name = plan_.class_name(id);
      if (judged.verdict == Verdict::kNeverLearned) {
        log_warning("request to forget '{}': it was never learned (accuracy {} before, chance {})",
                    name, percents(judged.before), percents(judged.chance));
      } else if (judged.verdict == Verdict::kNotMeasured) {
        log_warning("request to forget '{}': not measured, there is no test image of it", name);
      } else if (judged.verdict == Verdict::kNoEffect) {
        log_warning(
            "request to forget '{}': no effect, its accuracy did not fall ({} before, {} "
            "after)",
            name, percents(judged.before), percents(judged.after));
      } else if (judged.verdict == Verdict::kNotForgotten) {
        log_warning("request to forget '{}': not forgotten, accuracy {} (chance {})", name,
                    percents(judged.after), percents(judged.chance));
      }
    }
  }
}

}  // namespace lethe
