// The events that the trainer sends to its listeners. The trainer does not depend on metrics, on
// the terminal, or on any file of the run directory except its checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/byte_mark.h"
#include "lethe/method/method.h"
#include "lethe/metrics/evaluate.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// The current position of a run. epoch and batch count from 0 within the task; step counts over the
// whole run.
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
  int64_t steps = 0;       // steps of the task
  int64_t first_step = 0;  // > 0: resumed within the task
};

struct TermValue {
  std::string name;
  double value = 0;  // not weighted
  double weight = 1;
  std::optional<double> gradient =
      {};  // weighted gradient norm at the shared weight; measured every train.grad_steps steps
};

struct StepDone {
  Position position;  // of this step, not of the next
  double lr = 0;
  double loss = 0;  // weighted sum of the terms
  double grad_norm = 0;
  std::vector<TermValue> terms;
  int64_t images = 0;
  double seconds = 0;  // since the previous step, including waiting for data
  PassCounts passes;
  std::map<std::string, double> notes = {};  // values logged by the method
};

struct EpochDone {
  Position position;
  std::map<std::string, double> phase_seconds;  // seconds per phase; "epoch" is the total
};

// When an evaluation takes place.
enum class Moment {
  kEpoch,   // after an epoch
  kEnd,     // at the end of the event; the classifier rows of its requests are still there
  kErased,  // afterwards, when classes were erased: the version as it is written
};

struct Evaluated {
  Position position;
  Moment moment = Moment::kEnd;
  Evaluation evaluation;
};

// The action taken for a request.
enum class RequestEffect {
  kTrained,      // trained with its classes in the forget set
  kRetrained,    // the model was trained again from the beginning, without its classes
  kIgnored,      // the method does not use the forget set
  kNothingToDo,  // the method needs images and there were none
};

// A class that was erased at the end of an event.
struct ErasedClass {
  ClassId id = 0;
  std::vector<StateEntry> state;  // what the method had stored for it
  std::vector<ByteMark> marks;    // of its rows in model and method, to search files for them
};

struct RequestDone {
  Request request;
  RequestEffect effect = RequestEffect::kTrained;
};

struct TaskDone {
  Task task;
  std::string model_before;  // SHA-256 of model.safetensors; empty before the first task or without
                             // a run directory
  std::string model_after;
  int64_t steps = 0;   // steps of this task; 0 = the method had nothing to do
  int64_t images = 0;  // training images
  std::vector<ErasedClass> erased = {};
  std::vector<RequestDone> requests = {};
  std::vector<std::string> remarks = {};  // parts of the requests that the method cannot carry out
};

// The version of an event has been written, to new_folder(). The event is complete when all
// listeners have returned.
struct VersionWritten {
  int64_t task = 0;
  std::filesystem::path folder;
};

// The event is complete, and its version has its final name.
struct EventComplete {
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
  virtual void on(const VersionWritten&) {}
  virtual void on(const EventComplete&) {}

  // save() returns the state that a checkpoint stores for this listener. restore() returns to that
  // state and truncates files accordingly, so that a resumed run continues exactly where the
  // checkpoint was written. Names must be unique; with an empty name no state is saved.
  virtual std::string state_name() const { return ""; }
  virtual nlohmann::json save();
  virtual void restore(const nlohmann::json&) {}
};

}  // namespace lethe
