// The TaskPlan defines which classes each task learns, which classes are forgotten and when. It
// gives every class an id in stream order: classes are numbered 0, 1, 2, ... as the tasks introduce
// them (segmentation: 0 is background, the classes of the tasks start at 1).
//
// Immutable. Everything after the loader uses these class ids.
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
  // Throws ConfigError for an unknown class, a class in two tasks, a request for a class that is
  // not learned yet or was already requested, a task number out of range, or if no class is left to
  // keep. A request may name all old classes if the task has new classes.
  TaskPlan(const StreamOptions& options, const DatasetInfo& info);

  // All events in order: the tasks of the configuration, a request-only event if requests are due
  // after the last of them, and the events that commands added.
  const std::vector<Task>& tasks() const { return tasks_; }
  const Task& task(int64_t number) const { return tasks_.at(static_cast<size_t>(number - 1)); }
  // The number of the last event that learns classes.
  int64_t last_learning_task() const { return last_learning_task_; }
  const std::vector<Request>& requests() const { return requests_; }

  Problem problem() const { return problem_; }
  // Includes background.
  int64_t num_classes() const { return static_cast<int64_t>(labels_.size()); }
  const std::string& class_name(ClassId id) const { return names_.at(static_cast<size_t>(id)); }
  // The class with this name. If a class was forgotten and learned again, the newer one. Matches
  // exactly, or else ignoring case if that is unique. key is used in messages. Throws ConfigError.
  ClassId find(const char* key, const std::string& name) const;
  // The task that introduces a class; 0 for background.
  int64_t task_of(ClassId id) const { return task_of_.at(static_cast<size_t>(id)); }

  // All classes named by any request, carried out or not: the group "forgotten" of the metrics.
  const ClassSet& listed() const { return listed_; }

  // The names of all classes of a set, separated by commas: for files and keys.
  std::string names(const ClassSet& classes) const;
  // The same for messages: long lists are shortened (short_list.h).
  std::string short_names(const ClassSet& classes) const;

  // Indices of the samples that contain any of the classes, ascending (specification 2.3:
  // overlapped).
  std::vector<int64_t> samples_with(const Dataset& dataset, const ClassSet& classes) const;

  // Indices of the samples that the task trains on: those that contain a new class. In
  // segmentation, SegSetup may exclude samples that contain a class not seen yet, and
  // StreamOptions::absent those that contain an absent class. An event on kept images trains on all
  // samples that contain a kept class and no forgotten one.
  std::vector<int64_t> train_samples(const Dataset& dataset, const Task& task) const;
  // Throws a DataError that names the first task without training images, if there is one.
  void require_images(const Dataset& train) const;
  // Indices of the samples to evaluate after the task: those that contain a seen class.
  std::vector<int64_t> eval_samples(const Dataset& dataset, const Task& task) const {
    return samples_with(dataset, task.seen());
  }

  // The label of a class in the dataset; -1 if the class was learned again later.
  int64_t label_of(ClassId id) const { return labels_.at(static_cast<size_t>(id)); }

  // Labels for training in the task: labels of new classes are mapped to their class ids. In masks,
  // all other classes become background; void pixels stay void or become background, depending on
  // the mask rules. With SegSetup::kSequential and in an event on kept images, kept old classes are
  // mapped to their class ids too. Forgotten classes are not: they would be learned again.
  LabelMap train_labels(const Task& task) const;
  // Labels for evaluation after the task: all classes that are not seen yet become void.
  LabelMap eval_labels(const Task& task) const;

 private:
  bool has_background() const { return problem_ == Problem::kMasks; }
  void add_tasks(const StreamOptions& options, const DatasetInfo& info);
  void add_requests(const StreamOptions& options, const DatasetInfo& info);
  void add_steps(Scenario scenario);
  void add_later(const StreamOptions& options, const DatasetInfo& info);
  void leave_out(const ClassSet& absent);
  void add_class(int64_t label, const std::string& name, int64_t task);
  ClassSet background() const { return has_background() ? ClassSet{0} : ClassSet{}; }
  ClassSet classes_of_task(int64_t number) const;
  std::vector<bool> labels_within(const ClassSet& classes) const;
  void set_labels(LabelMap& map, const ClassSet& classes) const;

  Problem problem_ = Problem::kImages;
  MaskRules mask_rules_;
  int64_t last_learning_task_ = 0;
  std::vector<std::string> names_;  // by class
  std::vector<int64_t> labels_;     // by class: its label in the dataset; -1 = learned again later
  std::vector<int64_t> task_of_;    // by class
  int64_t num_labels_ = 0;          // number of labels in the dataset
  std::vector<Request> requests_;
  ClassSet listed_;
  ClassSet hidden_;  // absent classes: no image may show them
  std::vector<Task> tasks_;
};

}  // namespace lethe
