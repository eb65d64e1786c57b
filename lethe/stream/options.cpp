#include "lethe/stream/options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"

namespace lethe {

using nlohmann::json;

namespace {

const ChoiceNames<Scenario> kScenarios = {{Scenario::kTask, "task"}, {Scenario::kClass, "class"}};
const ChoiceNames<ForgetRound> kRounds = {{ForgetRound::kCeil, "ceil"},
                                          {ForgetRound::kFloor, "floor"}};
const ChoiceNames<ForgetScope> kScopes = {{ForgetScope::kAll, "all"},
                                          {ForgetScope::kAllButLast, "all_but_last"},
                                          {ForgetScope::kFirst, "first"}};

std::string text_list(const std::vector<std::string>& values) {
  // A list of basic strings is written the same way in JSON and TOML.
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
      if (task.get<int64_t>() < 1) throw ConfigError("a task must have at least one class");
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

}  // namespace

Fields config_fields(StreamOptions& o) {
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
      common(only_for(Problem::kImages,
                      {"stream.scenario", choice(&o.scenario, kScenarios),
                       "which classes the training softmax covers: task = those of one task "
                       "(task-incremental, as in the paper); class = all classes seen "
                       "(class-incremental: the task is not known at test time)"})),
      common({"stream.forget_fraction", &o.forget_fraction,
              "before the next task, forget this fraction of a task's classes, taken from the "
              "start of "
              "the class order; the paper uses 0.3",
              at_least_below(0, 1)}),
      only_with("stream.forget_fraction > 0", [&o] { return o.forget_fraction > 0; },
                {"stream.forget_round", choice(&o.forget_round, kRounds),
                 "rounding of the number of classes to forget: up (ceil) or down (floor)"}),
      {"stream.forget_scope", choice(&o.forget_scope, kScopes),
       "tasks to which forget_fraction applies; auto = all (segmentation: first)"},
  };
}

}  // namespace lethe
