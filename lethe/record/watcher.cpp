#include "lethe/record/watcher.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "lethe/core/log.h"
#include "lethe/core/short_list.h"
#include "lethe/record/request_record.h"

namespace lethe {

namespace {

constexpr int64_t kFirstSteps = 10;  // no warning before
constexpr double kGrowth = 10;       // diverging: running loss / loss of the task's first step
constexpr double kRunGrowth = 30;  // the same for the run's first step: later tasks add loss terms
constexpr double kMemory = 0.8;    // weight of the past in the running mean

std::string percents(double value) { return fmt::format("{:.1f} %", 100 * value); }

// The key of the learning rate of a task.
const char* rate_key(int64_t task) { return task == 1 ? "train.lr" : "train.lr_next"; }

}  // namespace

void Watcher::on(const TaskStarted& event) {
  steps_ = 0;
  first_ = running_ = 0;
  warned_ = false;
  const auto& task = event.task;
  if (plan_.problem() == Problem::kImages && task.new_classes.size() == 1)
    log_warning("task {} has one class, '{}': with the task given its accuracy is always 100 %; {}",
                task.number, plan_.names(task.new_classes),
                task.seen().size() == 1 ? "so far there is no other class to tell it from"
                                        : "look at the accuracy over all classes");
}

void Watcher::on(const StepDone& event) {
  if (++steps_ == 1) first_ = running_ = event.loss;
  if (!start_) start_ = event.loss;
  running_ = kMemory * running_ + (1 - kMemory) * event.loss;
  if (warned_ || steps_ <= kFirstSteps || running_ <= kGrowth) return;
  const bool since_task = running_ > kGrowth * first_;
  const bool since_start = running_ > kRunGrowth * *start_;
  if (!since_task && !since_start) return;
  warned_ = true;
  log_warning(
      "task {}: the loss grows, from {:.3g} in the first step{} to {:.3g} at step {}: training "
      "diverges; lower {} or the weight of a loss term",
      event.position.task, since_task ? first_ : *start_, since_task ? "" : " of the run", running_,
      event.position.task_step + 1, rate_key(event.position.task));
}

void Watcher::on(const Evaluated& event) {
  if (event.moment != Moment::kEnd) return;
  const auto& task = plan_.task(event.position.task);
  const auto* after = table_.end_row(task.number);
  if (after == nullptr) return;
  warn_not_learned(task, *after);
  warn_kept_falls(task, *after);
}

void Watcher::warn_not_learned(const Task& task, const EvaluationRow& after) const {
  const auto level = level_of(task, after, plan_, options_);
  if (level.at_chance) {
    log_warning("task {} was not learned: accuracy {}, chance {} ({}); train longer or change {}",
                task.number, percents(level.accuracy), percents(level.chance),
                measure_text(level.over_all, plan_.problem()), rate_key(task.number));
    return;
  }
  const auto missed = not_learned(task, after, plan_, options_);
  if (missed.empty()) return;
  std::vector<std::string> classes;
  for (const auto& one : missed)
    classes.push_back(fmt::format("'{}' {}", plan_.class_name(one.id), percents(one.after)));
  log_warning("{} of the {} classes of task {} {} not learned (accuracy {}, chance {}): {}",
              missed.size(), task.new_classes.size(), task.number,
              missed.size() == 1 ? "was" : "were",
              measure_text(missed.front().over_all, plan_.problem()),
              percents(missed.front().chance), short_list(classes));
}

void Watcher::warn_kept_falls(const Task& task, const EvaluationRow& after) const {
  const auto* before = table_.version_row(task.number - 1);
  if (before == nullptr) return;
  const auto falls = kept_falls(task, *before, after, plan_, options_);
  if (falls.empty()) return;
  // One line with the number of classes and the worst of them.
  const KeptFall* worst = &falls.front();
  for (const auto& fall : falls) {
    if (fall.before - fall.after > worst->before - worst->after) worst = &fall;
  }
  log_warning(
      "{} kept class{} fell by more than {:.0f} points in task {}; the worst is '{}': {} to "
      "{} {}",
      falls.size(), falls.size() == 1 ? "" : "es", 100 * options_.kept_fall, task.number,
      plan_.class_name(worst->id), percents(worst->before), percents(worst->after),
      measure_text(worst->over_all, plan_.problem()));
}

// One line for the classes with the same verdict that are measured in the same way.
void Watcher::warn_of_requests(const RequestDone& done, int64_t event) const {
  std::map<std::string, std::vector<std::string>> classes;  // by verdict and measure
  for (const auto& judged : judge_request(done, event, table_, plan_, options_)) {
    if (judged.verdict == Verdict::kForgotten) continue;
    std::string text = name_of(judged.verdict);
    std::string name = fmt::format("'{}'", plan_.class_name(judged.id));
    if (judged.verdict == Verdict::kNotMeasured) {
      text += ": no test images, or no other class";
    } else {
      text += fmt::format(" (accuracy {}, chance {})",
                          measure_text(judged.over_all, plan_.problem()), percents(judged.chance));
      name += fmt::format(" {} to {}", percents(judged.before), percents(judged.after));
    }
    classes[text].push_back(name);
  }
  for (const auto& [text, names] : classes)
    log_warning("request to forget, {}: {}", text, short_list(names));
}

void Watcher::on(const TaskDone& event) {
  for (const auto& done : event.requests) {
    if (done.effect == RequestEffect::kIgnored)
      log_warning("the method does not use the forget set: nothing was done to forget {}",
                  plan_.short_names(done.request.classes));
    warn_of_requests(done, event.task.number);
  }
}

}  // namespace lethe
