#include "lethe/stream/task_plan.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "lethe/core/short_list.h"

namespace lethe {

using nlohmann::json;

namespace {

std::string text_list(const std::vector<std::string>& values) {
  // JSON and TOML agree on how a list of basic strings is written.
  return json(values).dump();
}

std::vector<std::string> read_names(const json& value, const char* what) {
  if (!value.is_array() || value.empty())
    throw_error<ConfigError>("{} must be a list of class names", what);
  std::vector<std::string> names;
  for (const auto& name : value) {
    if (!name.is_string())
      throw_error<ConfigError>("{} must be a list of class names in quotes", what);
    names.push_back(name.get<std::string>());
  }
  return names;
}

void read_tasks(StreamOptions& options, const json& value) {
  if (!value.is_array()) throw ConfigError("must be a list of sizes or of lists of class names");
  options.task_sizes.clear();
  options.task_names.clear();
  for (const auto& task : value) {
    if (task.is_number_integer() && options.task_names.empty()) {
      if (task.get<int64_t>() < 1) throw ConfigError("a task has at least one class");
      options.task_sizes.push_back(task.get<int64_t>());
    } else if (task.is_array() && options.task_sizes.empty()) {
      options.task_names.push_back(read_names(task, "a task"));
    } else {
      throw ConfigError("must be sizes only, or lists of class names only");
    }
  }
}

std::string write_tasks(const StreamOptions& options) {
  std::string text;
  for (const auto size : options.task_sizes)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  for (const auto& names : options.task_names)
    text += (text.empty() ? "" : ", ") + text_list(names);
  return '[' + text + ']';
}

void read_requests(StreamOptions& options, const json& value) {
  if (!value.is_array()) throw ConfigError("must be [[requests]] entries");
  options.requests.clear();
  for (const auto& entry : value) {
    if (!entry.is_object()) throw ConfigError("must be [[requests]] entries");
    RequestSpec request;
    for (const auto& [key, item] : entry.items()) {
      if (key == "classes") {
        request.classes = read_names(item, "classes");
      } else if (key == "before_task" && item.is_number_integer()) {
        request.before_task = item.get<int64_t>();
      } else if (key == "before_task") {
        throw ConfigError("before_task must be an integer");
      } else {
        throw_error<ConfigError>("unknown key '{}'{}", key,
                                 did_you_mean(key, {"classes", "before_task"}));
      }
    }
    if (request.classes.empty()) throw ConfigError("a request needs 'classes'");
    if (!entry.contains("before_task")) throw ConfigError("a request needs 'before_task'");
    options.requests.push_back(request);
  }
}

std::string write_requests(const StreamOptions& options) {
  std::string text;
  for (const auto& request : options.requests) {
    text += fmt::format("{}{{classes = {}, before_task = {}}}", text.empty() ? "" : ", ",
                        text_list(request.classes), request.before_task);
  }
  return '[' + text + ']';
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Exactly, else ignoring case if that is unique.
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

}  // namespace

Fields config_fields(StreamOptions& o) {
  const auto has_fraction = [&o] { return o.forget_fraction > 0; };
  return {
      common({"requests",
              CustomTarget{"[[requests]] with classes = [names] and before_task = number",
                           [&o](const json& value) { read_requests(o, value); },
                           [&o] { return write_requests(o); }},
              "classes to forget, and the task before which to forget them (number of tasks + 1 = "
              "after the last task)"}),
      common({"stream.tasks",
              CustomTarget{"list of sizes, or list of lists of class names",
                           [&o](const json& value) { read_tasks(o, value); },
                           [&o] { return write_tasks(o); }},
              "the tasks, in order; empty = all classes in one task"}),
      common(
          {"stream.order", &o.order,
           "class order used when stream.tasks is a list of sizes; empty = the dataset's order"}),
      common({"stream.forget_fraction", &o.forget_fraction,
              "fraction of each task's classes (the first ones) to forget before the next task; "
              "the paper uses 0.3",
              at_least_below(0, 1)}),
      only_with("stream.forget_fraction > 0", has_fraction,
                {"stream.forget_round",
                 &o.forget_round,
                 "how to round the number of classes to forget",
                 {},
                 {"ceil", "floor"}}),
      {"stream.forget_scope",
       &o.forget_scope,
       "tasks that forget_fraction applies to; auto = all (segmentation: first)",
       {},
       {"auto", "all", "all_but_last", "first"}},
  };
}

TaskPlan::TaskPlan(const StreamOptions& options, const DatasetInfo& info)
    : problem_(info.problem),
      mask_rules_(info.mask_rules),
      num_labels_(static_cast<int64_t>(info.class_names.size())) {
  add_tasks(options, info);
  add_requests(options, info);
  add_steps();
}

void TaskPlan::add_tasks(const StreamOptions& options, const DatasetInfo& info) {
  const size_t first = has_background() ? 1 : 0;
  if (has_background()) {
    names_.push_back(info.class_names.at(0));
    labels_.push_back(0);
    task_of_.push_back(0);
  }
  std::vector<size_t> order;  // the dataset's labels, in class order
  if (options.order.empty()) {
    order.resize(info.class_names.size() - first);
    std::iota(order.begin(), order.end(), first);
  }
  for (const auto& name : options.order)
    order.push_back(find_class("stream.order", name, info.class_names, first));

  const auto add_class = [&](size_t label, int64_t task) {
    const auto known = std::find(labels_.begin(), labels_.end(), static_cast<int64_t>(label));
    if (known != labels_.end()) {
      throw_error<ConfigError>("stream: class '{}' occurs twice (tasks {} and {})",
                               info.class_names[label],
                               task_of_[static_cast<size_t>(known - labels_.begin())], task);
    }
    labels_.push_back(static_cast<int64_t>(label));
    names_.push_back(info.class_names[label]);
    task_of_.push_back(task);
  };

  if (!options.task_names.empty()) {
    for (const auto& names : options.task_names) {
      ++num_learning_tasks_;
      for (const auto& name : names)
        add_class(find_class("stream.tasks", name, info.class_names, first), num_learning_tasks_);
    }
    return;
  }
  auto sizes = options.task_sizes;
  if (sizes.empty()) sizes.push_back(static_cast<int64_t>(order.size()));
  const auto total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (total > static_cast<int64_t>(order.size())) {
    throw_error<ConfigError>("stream.tasks: {} classes asked for, {} has {}", total, info.name,
                             order.size());
  }
  size_t next = 0;
  for (const auto size : sizes) {
    ++num_learning_tasks_;
    for (int64_t i = 0; i < size; ++i) add_class(order[next++], num_learning_tasks_);
  }
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
    PlannedRequest request{.classes = {}, .before_task = spec.before_task, .by_fraction = false};
    if (spec.before_task < 2 || spec.before_task > num_learning_tasks_ + 1) {
      throw_error<ConfigError>("requests: before_task = {}: must be in [2, {}]", spec.before_task,
                               num_learning_tasks_ + 1);
    }
    std::vector<ClassId> ids;
    for (const auto& name : spec.classes) {
      const auto& all = info.class_names;
      if (std::find(names_.begin(), names_.end(), name) == names_.end() &&
          std::find(all.begin(), all.end(), name) != all.end())
        throw_error<ConfigError>("requests: '{}' is learned in no task of the stream", name);
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
    std::string scope = options.forget_scope;
    if (scope == "auto") scope = segmentation ? "first" : "all";
    const int64_t last = scope == "first"          ? 1
                         : scope == "all_but_last" ? num_learning_tasks_ - 1
                                                   : num_learning_tasks_;
    for (int64_t number = 1; number <= last; ++number) {
      const auto classes = classes_of_task(number);
      const double exact = options.forget_fraction * static_cast<double>(classes.size());
      const auto count = static_cast<int64_t>(
          options.forget_round == "ceil" ? std::ceil(exact - 1e-9) : std::floor(exact + 1e-9));
      if (count == 0) continue;
      requests_.push_back({.classes = ClassSet::range(classes.ids().front(), count),
                           .before_task = number + 1,
                           .by_fraction = true});
    }
  }
  for (const auto& request : requests_) listed_ = listed_ | request.classes;
}

void TaskPlan::add_steps() {
  // forget_fraction never appends a task: its request after the last task is not executed
  // (specification A25).
  const bool after_last =
      std::any_of(requests_.begin(), requests_.end(), [&](const PlannedRequest& r) {
        return r.before_task == num_learning_tasks_ + 1 && !r.by_fraction;
      });
  const int64_t steps = num_learning_tasks_ + (after_last ? 1 : 0);
  const ClassSet background = has_background() ? ClassSet{0} : ClassSet{};
  ClassSet learned;
  ClassSet forgotten;
  for (int64_t number = 1; number <= steps; ++number) {
    Task task;
    task.number = number;
    for (const auto& request : requests_) {
      const bool executed = !(request.by_fraction && request.before_task > num_learning_tasks_);
      if (request.before_task != number || !executed) continue;
      if (const auto again = request.classes & (forgotten | task.requested);
          !again.empty() && !request.by_fraction) {
        throw_error<ConfigError>("requests: '{}' would be forgotten twice, again before task {}",
                                 short_names(again), number);
      }
      task.requested = task.requested | request.classes;
    }
    task.requested = task.requested - forgotten;
    forgotten = forgotten | task.requested;
    task.forgotten = forgotten;
    task.kept = (learned - forgotten) | background;
    task.new_classes = classes_of_task(number);
    if (((task.kept - background) | task.new_classes).empty()) {
      throw_error<ConfigError>("requests: before task {} no class would be left to keep", number);
    }
    learned = learned | task.new_classes;
    tasks_.push_back(task);
  }
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
    if (task.has_images() && train_samples(train, task).empty())
      throw_error<DataError>("task {}: no training image contains {}", task.number,
                             short_names(task.new_classes));
  }
}

// By label of the dataset: whether its class is in the set.
std::vector<bool> TaskPlan::labels_within(const ClassSet& classes) const {
  std::vector<bool> within(static_cast<size_t>(num_labels_), false);
  for (const ClassId id : classes)
    within[static_cast<size_t>(labels_[static_cast<size_t>(id)])] = true;
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
  auto samples = samples_with(dataset, task.new_classes);
  if (!has_background() || mask_rules_.setup == SegSetup::kOverlapped) return samples;
  const auto seen = labels_within(task.seen());
  std::erase_if(samples, [&](int64_t sample) {
    const auto labels = dataset.labels_of(sample);
    return !std::all_of(labels.begin(), labels.end(),
                        [&](int64_t label) { return seen[static_cast<size_t>(label)]; });
  });
  return samples;
}

LabelMap TaskPlan::train_labels(const Task& task) const {
  LabelMap map(256, has_background() ? 0 : kVoid);
  map.resize(std::max<size_t>(256, static_cast<size_t>(num_labels_)), kVoid);
  if (has_background() && !mask_rules_.void_is_background) map[kVoid] = kVoid;
  const bool keeps_old = has_background() && mask_rules_.setup == SegSetup::kSequential;
  for (const ClassId id : keeps_old ? task.kept | task.new_classes : task.new_classes)
    map[static_cast<size_t>(labels_[static_cast<size_t>(id)])] = id;
  return map;
}

LabelMap TaskPlan::eval_labels(const Task& task) const {
  LabelMap map(std::max<size_t>(256, static_cast<size_t>(num_labels_)), kVoid);
  for (const ClassId id : task.seen())
    map[static_cast<size_t>(labels_[static_cast<size_t>(id)])] = id;
  return map;
}

}  // namespace lethe
