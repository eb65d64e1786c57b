// The TaskPlan says which classes arrive in which task, which must go, and when. It turns names
// into stream order: class 0, 1, 2, ... in the order in which tasks bring them (segmentation: 0 is
// background, tasks start at 1).
//
// Immutable. Everything after the loader speaks of classes in stream order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/data/batch.h"
#include "lethe/data/dataset.h"
#include "lethe/stream/options.h"
#include "lethe/stream/request.h"
#include "lethe/stream/task.h"

namespace lethe {

class TaskPlan {
 public:
  // Throws ConfigError: unknown class, class in two tasks, request for a class that is not learned
  // by then or was requested before, a task number out of range, nothing left to keep. A request
  // may name all old classes if new ones arrive: those are kept.
  TaskPlan(const StreamOptions& options, const DatasetInfo& info);

  // Tasks in order; a last one without images if requests are due after the last task.
  const std::vector<Task>& tasks() const { return tasks_; }
  const Task& task(int64_t number) const { return tasks_.at(static_cast<size_t>(number - 1)); }
  int64_t num_learning_tasks() const { return num_learning_tasks_; }
  const std::vector<Request>& requests() const { return requests_; }

  Problem problem() const { return problem_; }
  int64_t num_classes() const {
    return static_cast<int64_t>(labels_.size());
  }  // background included
  const std::string& class_name(ClassId id) const { return names_.at(static_cast<size_t>(id)); }
  int64_t task_of(ClassId id) const {
    return task_of_.at(static_cast<size_t>(id));
  }  // background: 0

  // Every class that some request names, executed or not: the group "forgotten" of the metrics.
  const ClassSet& listed() const { return listed_; }

  // The names of a set, for messages.
  std::string names(const ClassSet& classes) const;

  // Numbers of the samples that show one of the classes, ascending (specification 2.3: overlapped).
  std::vector<int64_t> samples_with(const Dataset& dataset, const ClassSet& classes) const;

  // Numbers of the samples that the task trains on: those that show a new class; of masks by the
  // data set's setup (SegSetup), without those that show a class beyond the seen ones.
  std::vector<int64_t> train_samples(const Dataset& dataset, const Task& task) const;
  // Numbers of the samples that count after the task: those that show a seen class.
  std::vector<int64_t> eval_samples(const Dataset& dataset, const Task& task) const {
    return samples_with(dataset, task.seen());
  }

  // Labels of the task's training images: new classes as they are; in masks all others become
  // background, and void stays, or becomes background too, by the data set's rules. Setup
  // sequential: old classes keep their labels, but forgotten ones do not: they would be taught
  // again.
  LabelMap train_labels(const Task& task) const;
  // Labels for evaluation after the task: seen classes; everything else is void.
  LabelMap eval_labels(const Task& task) const;

 private:
  bool has_background() const { return problem_ == Problem::kMasks; }
  void add_tasks(const StreamOptions& options, const DatasetInfo& info);
  void add_requests(const StreamOptions& options, const DatasetInfo& info);
  void add_steps(Scenario scenario);
  ClassSet classes_of_task(int64_t number) const;
  std::vector<bool> labels_within(const ClassSet& classes) const;

  Problem problem_ = Problem::kImages;
  MaskRules mask_rules_;
  int64_t num_learning_tasks_ = 0;
  std::vector<std::string> names_;  // by class
  std::vector<int64_t> labels_;     // by class: the data set's own label
  std::vector<int64_t> task_of_;    // by class
  int64_t num_labels_ = 0;          // of the data set
  std::vector<Request> requests_;
  ClassSet listed_;
  std::vector<Task> tasks_;
};

}  // namespace lethe
