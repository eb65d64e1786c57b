// What the trainer tells: plain records, to whoever listens. It knows no metric, no file of the run
// directory but its checkpoints, and no terminal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lethe/method/step.h"
#include "lethe/metrics/evaluate.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// Where the run is. epoch and batch count within the task, from 0; step counts over the whole run.
struct Position {
  int64_t task = 1;
  int64_t epoch = 0;
  int64_t batch = 0;
  int64_t task_step = 0;
  int64_t step = 0;
};

struct TaskStarted {
  Task task;
  int64_t images = 0;      // training images
  int64_t steps = 0;       // of the task
  int64_t first_step = 0;  // > 0: resumed within the task
};

struct TermValue {
  std::string name;
  double value = 0;  // not weighted
  double weight = 1;
  std::optional<double> gradient =
      {};  // norm, weighted, at the network's probe; measured now and then
};

struct StepDone {
  Position position;  // of the step itself
  double lr = 0;
  double loss = 0;  // weighted sum
  double grad_norm = 0;
  std::vector<TermValue> terms;
  int64_t images = 0;
  double seconds = 0;  // since the step before, waiting for data included
  PassCounts passes;
  std::map<std::string, double> notes = {};  // of the method
};

struct EpochDone {
  Position position;
  std::map<std::string, double> phase_seconds;  // where the time went; "epoch" is the whole
};

struct Evaluated {
  Position position;
  bool task_end = true;  // or after an epoch
  Evaluation evaluation;
};

// What was done for a request.
enum class RequestEffect {
  kTrained,      // trained with its classes in the forget set
  kIgnored,      // the method does not use the forget set
  kNothingToDo,  // the method needs images and there were none
};

struct RequestDone {
  Request request;
  RequestEffect effect = RequestEffect::kTrained;
};

struct TaskDone {
  Task task;
  std::string model_before;  // SHA-256 of model.safetensors, empty before the first task or without
                             // a run directory
  std::string model_after;
  int64_t steps = 0;  // done in this task; 0: the method had nothing to do
  std::vector<RequestDone> requests = {};
  std::vector<std::string> remarks = {};  // what the method could not do for the requests
};

// A task's folder is in its place.
struct CheckpointWritten {
  int64_t task = 0;
  std::filesystem::path folder;
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on(const TaskStarted&) {}
  virtual void on(const StepDone&) {}
  virtual void on(const EpochDone&) {}
  virtual void on(const Evaluated&) {}
  virtual void on(const TaskDone&) {}
  virtual void on(const CheckpointWritten&) {}

  // What a checkpoint must hold so that this listener goes on as if nothing had happened; restore()
  // goes back to it, cutting files to what they were. Names must differ between listeners; an empty
  // name has no state.
  virtual std::string state_name() const { return ""; }
  virtual nlohmann::json save();
  virtual void restore(const nlohmann::json&) {}
};

}  // namespace lethe
