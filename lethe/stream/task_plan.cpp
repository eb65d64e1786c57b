#include "lethe/stream/task_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "lethe/core/short_list.h"
#include "lethe/core/text.h"

namespace lethe {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Finds an exact match, or else a unique match that ignores case.
size_t find_class(const char* key, const std::string& name, const std::vector<std::string>& known,
                  size_t first) {
  const auto exact =
      std::find(known.begin() + static_cast<std::ptrdiff_t>(first), known.end(), name);
  if (exact != known.end()) return static_cast<size_t>(exact - known.begin());
  std::optional<size_t> found;
  for (size_t i = first; i < known.size(); ++i) {
    if (lower(known[i]) != lower(name)) continue;
    if (found)
      throw_error<ConfigError>("{}: class '{}' could be '{}' or '{}'", key, name, known[*found],
                               known[i]);
    found = i;
  }
  for (size_t i = 0; i < first && !found; ++i) {
    if (lower(known[i]) == lower(name))
      throw_error<ConfigError>(
          "{}: '{}' belongs to every task; it is neither learned nor forgotten", key, name);
  }
  if (!found)
    throw_error<ConfigError>("{}: unknown class '{}'{}", key, name, did_you_mean(name, known));
  return *found;
}

// Leaves out the samples that contain a class of these labels.
void leave_out_samples(std::vector<int64_t>& samples, const Dataset& dataset,
                       const std::vector<bool>& labels) {
  std::erase_if(samples, [&](int64_t sample) {
    const auto own = dataset.labels_of(sample);
    return std::any_of(own.begin(), own.end(),
                       [&](int64_t label) { return labels[static_cast<size_t>(label)]; });
  });
}

}  // namespace

TaskPlan::TaskPlan(const StreamOptions& options, const DatasetInfo& info)
    : problem_(info.problem),
      mask_rules_(info.mask_rules),
      num_labels_(static_cast<int64_t>(info.class_names.size())) {
  add_tasks(options, info);
  add_requests(options, info);
  add_steps(options.scenario);
  add_later(options, info);
  if (options.absent.empty()) return;
  leave_out(options.absent);
  if (!options.absent_shown) hidden_ = options.absent;
}

void TaskPlan::add_tasks(const StreamOptions& options, const DatasetInfo& info) {
  const size_t first = has_background() ? 1 : 0;
  if (has_background()) {
    names_.push_back(info.class_names.at(0));
    labels_.push_back(0);
    task_of_.push_back(0);
  }
  std::vector<size_t> order;  // dataset labels, in class order
  if (options.order.empty()) {
    const auto own = options.own_classes > 0 ? static_cast<size_t>(options.own_classes)
                                             : info.class_names.size();
    order.resize(own - first);
    std::iota(order.begin(), order.end(), first);
  }
  for (const auto& name : options.order)
    order.push_back(find_class("stream.order", name, info.class_names, first));

  const auto add = [&](size_t label, int64_t task) {
    const auto known = std::find(labels_.begin(), labels_.end(), static_cast<int64_t>(label));
    if (known != labels_.end()) {
      throw_error<ConfigError>("stream: class '{}' is listed twice (tasks {} and {})",
                               info.class_names[label],
                               task_of_[static_cast<size_t>(known - labels_.begin())], task);
    }
    add_class(static_cast<int64_t>(label), info.class_names[label], task);
  };

  if (!options.task_names.empty()) {
    for (const auto& names : options.task_names) {
      ++last_learning_task_;
      for (const auto& name : names)
        add(find_class("stream.tasks", name, info.class_names, first), last_learning_task_);
    }
    return;
  }
  auto sizes = options.task_sizes;
  if (sizes.empty()) sizes.push_back(static_cast<int64_t>(order.size()));
  const auto total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (total > static_cast<int64_t>(order.size())) {
    throw_error<ConfigError>("stream.tasks: the tasks have {}, but {} has only {}",
                             counted(total, "class", "classes"), info.name, order.size());
  }
  size_t next = 0;
  for (const auto size : sizes) {
    ++last_learning_task_;
    for (int64_t i = 0; i < size; ++i) add(order[next++], last_learning_task_);
  }
}

void TaskPlan::add_class(int64_t label, const std::string& name, int64_t task) {
  labels_.push_back(label);
  names_.push_back(name);
  task_of_.push_back(task);
}

ClassSet TaskPlan::classes_of_task(int64_t number) const {
  std::vector<ClassId> ids;
  for (size_t id = 0; id < task_of_.size(); ++id) {
    if (task_of_[id] == number) ids.push_back(static_cast<ClassId>(id));
  }
  return ClassSet(std::move(ids));
}

void TaskPlan::add_requests(const StreamOptions& options, const DatasetInfo& info) {
  const bool segmentation = has_background();
  const size_t first = segmentation ? 1 : 0;
  for (const auto& spec : options.requests) {
    Request request{.classes = {}, .before_task = spec.before_task, .by_fraction = false};
    if (spec.before_task < 2 || spec.before_task > last_learning_task_ + 1) {
      throw_error<ConfigError>("requests: before_task = {}: must be in [2, {}]", spec.before_task,
                               last_learning_task_ + 1);
    }
    std::vector<ClassId> ids;
    for (const auto& name : spec.classes) {
      const auto& all = info.class_names;
      if (std::find(names_.begin(), names_.end(), name) == names_.end() &&
          std::find(all.begin(), all.end(), name) != all.end())
        throw_error<ConfigError>("requests: '{}' is not learned in any task of the stream", name);
      const size_t id = find_class("requests", name, names_, first);
      if (task_of_[id] >= spec.before_task) {
        throw_error<ConfigError>(
            "requests: '{}' is learned in task {}, it cannot be forgotten before task {}",
            names_[id], task_of_[id], spec.before_task);
      }
      ids.push_back(static_cast<ClassId>(id));
    }
    request.classes = ClassSet(std::move(ids));
    requests_.push_back(request);
  }
  if (options.forget_fraction > 0) {
    const auto scope =
        options.forget_scope.value_or(segmentation ? ForgetScope::kFirst : ForgetScope::kAll);
    const int64_t last = scope == ForgetScope::kFirst        ? 1
                         : scope == ForgetScope::kAllButLast ? last_learning_task_ - 1
                                                             : last_learning_task_;
    for (int64_t number = 1; number <= last; ++number) {
      const auto classes = classes_of_task(number);
      const double exact = options.forget_fraction * static_cast<double>(classes.size());
      const auto count = static_cast<int64_t>(options.forget_round == ForgetRound::kCeil
                                                  ? std::ceil(exact - 1e-9)
                                                  : std::floor(exact + 1e-9));
      if (count == 0) continue;
      requests_.push_back({.classes = ClassSet::range(classes.ids().front(), count),
                           .before_task = number + 1,
                           .by_fraction = true});
    }
  }
  for (const auto& request : requests_) listed_ = listed_ | request.classes;
}

void TaskPlan::add_steps(Scenario scenario) {
  // forget_fraction never adds an event: the classes that it selects in the last task are not
  // forgotten (specification A25).
  const bool after_last = std::any_of(requests_.begin(), requests_.end(), [&](const Request& r) {
    return r.before_task == last_learning_task_ + 1 && !r.by_fraction;
  });
  const int64_t steps = last_learning_task_ + (after_last ? 1 : 0);
  ClassSet learned;
  ClassSet forgotten;
  for (int64_t number = 1; number <= steps; ++number) {
    Task task;
    task.number = number;
    task.scenario = scenario;
    for (const auto& request : requests_) {
      const bool executed = !(request.by_fraction && request.before_task > last_learning_task_);
      if (request.before_task != number || !executed) continue;
      if (const auto again = request.classes & (forgotten | task.requested);
          !again.empty() && !request.by_fraction) {
        throw_error<ConfigError>("requests: '{}' would be forgotten twice, again before task {}",
                                 short_names(again), number);
      }
      task.requested = task.requested | request.classes;
      auto due = request;
      due.classes = request.classes - forgotten;  // the other classes were forgotten before
      if (!due.classes.empty()) task.requests.push_back(due);
    }
    task.requested = task.requested - forgotten;
    forgotten = forgotten | task.requested;
    task.forgotten = forgotten;
    task.kept = (learned - forgotten) | background();
    task.new_classes = classes_of_task(number);
    if (((task.kept - background()) | task.new_classes).empty()) {
      throw_error<ConfigError>("requests: no class would be left to keep before task {}", number);
    }
    learned = learned | task.new_classes;
    tasks_.push_back(task);
  }
}

void TaskPlan::add_later(const StreamOptions& options, const DatasetInfo& info) {
  for (const auto& event : options.later) {
    const auto& last = tasks_.back();
    Task task;
    task.number = last.number + 1;
    task.scenario = options.scenario;
    task.kept = last.kept | last.new_classes;
    task.forgotten = last.forgotten;
    task.epochs = event.epochs;
    task.steps = event.steps;
    std::vector<ClassId> ids;
    for (const auto& name : event.classes) {
      if (event.kind != EventKind::kLearn) {
        ids.push_back(find("--classes", name));
        continue;
      }
      const auto label = static_cast<int64_t>(
          find_class("--classes", name, info.class_names, background().size()));
      // A class that comes back gets a new id; its images belong to the new id from now on.
      const auto known = std::find(labels_.begin(), labels_.end(), label);
      if (known != labels_.end()) *known = -1;
      ids.push_back(num_classes());
      add_class(label, info.class_names[static_cast<size_t>(label)], task.number);
    }
    const ClassSet classes(std::move(ids));
    if (event.kind == EventKind::kLearn) {
      task.new_classes = classes;
      last_learning_task_ = task.number;
    } else if (event.kind == EventKind::kPurge) {
      task.purged = classes;
    } else {
      task.requested = classes;
      task.forgotten = task.forgotten | classes;
      task.kept = task.kept - classes;
      task.on_kept_images = event.with_images;
      task.retrained = event.exact;
      task.on_forgotten_images = event.with_images && event.forgotten_images;
      Request request{.classes = classes, .before_task = task.number, .by_command = true};
      task.requests.push_back(request);
      requests_.push_back(request);
      listed_ = listed_ | classes;
      if ((task.kept - background()).empty())
        throw_error<ConfigError>("no class would be left to keep");
    }
    tasks_.push_back(task);
  }
}

// The outputs of a task that vanishes are added with those of the next task.
void TaskPlan::leave_out(const ClassSet& absent) {
  std::vector<Task> left;
  std::vector<int64_t> heads;
  ClassSet without;
  for (auto task : tasks_) {
    if (task.learns()) {
      heads.push_back(task.new_classes.size());
      without = without | (task.new_classes & absent);
    }
    const auto number = static_cast<int64_t>(left.size()) + 1;
    for (const ClassId id : task.new_classes) task_of_[static_cast<size_t>(id)] = number;
    task.new_classes = task.new_classes - absent;
    task.kept = task.kept - absent;
    if (!task.learns()) continue;
    task.number = number;
    task.heads = std::exchange(heads, {});
    task.absent = std::exchange(without, {});
    left.push_back(std::move(task));
  }
  if (left.empty()) throw ConfigError("stream: no class would be left to learn");
  tasks_ = std::move(left);
  last_learning_task_ = static_cast<int64_t>(tasks_.size());
  for (auto& task : task_of_) task = std::min(task, last_learning_task_);
}

ClassId TaskPlan::find(const char* key, const std::string& name) const {
  for (ClassId id = num_classes() - 1; id >= background().size(); --id) {
    if (class_name(id) == name) return id;
  }
  return static_cast<ClassId>(
      find_class(key, name, names_, static_cast<size_t>(background().size())));
}

std::string TaskPlan::names(const ClassSet& classes) const {
  std::string text;
  for (const ClassId id : classes) text += (text.empty() ? "" : ", ") + class_name(id);
  return text;
}

std::string TaskPlan::short_names(const ClassSet& classes) const {
  std::vector<std::string> all;
  for (const ClassId id : classes) all.push_back(class_name(id));
  return short_list(all);
}

void TaskPlan::require_images(const Dataset& train) const {
  for (const auto& task : tasks_) {
    if (task.learns() && train_samples(train, task).empty())
      throw_error<DataError>("task {}: no training image contains {}", task.number,
                             short_names(task.new_classes));
  }
}

// By label of the dataset: whether its class is in the set.
std::vector<bool> TaskPlan::labels_within(const ClassSet& classes) const {
  std::vector<bool> within(static_cast<size_t>(num_labels_), false);
  for (const ClassId id : classes) {
    const auto label = labels_[static_cast<size_t>(id)];
    if (label >= 0) within[static_cast<size_t>(label)] = true;
  }
  return within;
}

std::vector<int64_t> TaskPlan::samples_with(const Dataset& dataset, const ClassSet& classes) const {
  const auto wanted = labels_within(classes);
  std::vector<int64_t> samples;
  for (int64_t i = 0; i < dataset.size(); ++i) {
    const auto labels = dataset.labels_of(i);
    if (std::any_of(labels.begin(), labels.end(),
                    [&](int64_t label) { return wanted[static_cast<size_t>(label)]; })) {
      samples.push_back(i);
    }
  }
  return samples;
}

std::vector<int64_t> TaskPlan::train_samples(const Dataset& dataset, const Task& task) const {
  if (task.on_kept_images) {
    const auto wanted = task.on_forgotten_images ? task.kept | task.requested : task.kept;
    auto samples = samples_with(dataset, wanted - background());
    const auto gone = labels_within((task.forgotten | task.erased) - wanted);
    leave_out_samples(samples, dataset, gone);
    return samples;
  }
  auto samples = samples_with(dataset, task.new_classes);
  if (!hidden_.empty()) leave_out_samples(samples, dataset, labels_within(hidden_));
  if (!has_background() || mask_rules_.setup == SegSetup::kOverlapped) return samples;
  const auto seen = labels_within(task.seen());
  std::erase_if(samples, [&](int64_t sample) {
    const auto labels = dataset.labels_of(sample);
    return !std::all_of(labels.begin(), labels.end(),
                        [&](int64_t label) { return seen[static_cast<size_t>(label)]; });
  });
  return samples;
}

void TaskPlan::set_labels(LabelMap& map, const ClassSet& classes) const {
  for (const ClassId id : classes) {
    const auto label = labels_[static_cast<size_t>(id)];
    if (label >= 0) map[static_cast<size_t>(label)] = id;
  }
}

LabelMap TaskPlan::train_labels(const Task& task) const {
  LabelMap map(256, has_background() ? 0 : kVoid);
  map.resize(std::max<size_t>(256, static_cast<size_t>(num_labels_)), kVoid);
  if (has_background() && !mask_rules_.void_is_background) map[kVoid] = kVoid;
  const bool keeps_old =
      task.on_kept_images || (has_background() && mask_rules_.setup == SegSetup::kSequential);
  set_labels(map, keeps_old ? task.kept | task.new_classes : task.new_classes);
  if (task.on_forgotten_images && !has_background()) set_labels(map, task.requested);
  return map;
}

LabelMap TaskPlan::eval_labels(const Task& task) const {
  LabelMap map(std::max<size_t>(256, static_cast<size_t>(num_labels_)), kVoid);
  set_labels(map, task.seen());
  return map;
}

}  // namespace lethe
