// A Method is a training strategy. It defines the loss terms of a step, what happens at task
// boundaries, what is stored between tasks, and how classes are forgotten. For every task the
// trainer calls
//
//   begin_task  (update losses)*  end_task
//
// The trainer sums the terms, steps the optimiser, logs the terms and saves state(). Methods never
// step the optimiser or save anything themselves.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/state_dict.h"
#include "lethe/method/step.h"

namespace lethe {

// One term of the loss. The loss is the sum of weight * value.
struct LossTerm {
  std::string name;  // "ce", "in_d"
  at::Tensor value;  // scalar
  double weight = 1.0;
  bool restrains = false;  // a regulariser: a step with only regularisers is skipped
};
using LossTerms = std::vector<LossTerm>;

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

// State kept for a class between tasks: reported by the audit, erased by purge().
struct StateEntry {
  std::string name;  // "prototype"
  int64_t bytes = 0;
};

// What a method can access at task boundaries.
struct Learner {
  Network& network;      // the student
  Network* old;          // frozen; null in the first task
  const TaskPlan& plan;  // a method must not look at requests that are not due yet
  uint64_t seed;
  const DatasetInfo* info = nullptr;  // describes the images
  // The largest second derivative of a term at which training is stable with the task's learning
  // rate; above it, training diverges.
  double stable_curvature = std::numeric_limits<double>::infinity();

  // Makes one more pass over the training images of the task, augmented as in training, and calls
  // the function for every batch. Available in begin_task and end_task, with the same images in the
  // same order; does nothing in a task without images.
  std::function<void(const std::function<void(const Batch&)>&)> each_batch = {};
};

// How a method trains for a request without images, where the user has not set it (request.steps,
// request.lr, request.clip_norm). Not set = as in the tasks.
struct RequestSettings {
  std::optional<int64_t> steps;
  std::optional<double> lr;  // constant
  std::optional<double> clip_norm;
};

class Method {
 public:
  virtual ~Method() = default;

  // The network already has the outputs of the new classes.
  virtual void begin_task(const Task&, Learner&) {}

  // Updates what the method stores (prototypes) with the features of a step. Called once per step,
  // before losses().
  virtual void update(Step&) {}

  // The terms of one step. Changes nothing that the method stores. Empty if there is nothing to
  // train (a request without images, for a method that needs images).
  virtual LossTerms losses(Step& step) = 0;

  virtual void end_task(const Task&, Learner&) {}

  // The method's own trainable tensors (projections), optimised together with the network's.
  virtual std::vector<NamedTensor> parameters() { return {}; }

  // Learning-rate factor of a network parameter in the current task; queried after begin_task. 0
  // freezes the parameter: no gradient, no weight decay, its value does not change.
  virtual double lr_factor(const std::string& /*parameter*/) const { return 1.0; }

  // Queried before begin_task.
  virtual RequestSettings request_settings() const { return {}; }

  // State that must survive a restart. A resumed run calls load() with the state after the last
  // finished task, then begin_task(), then load() with the state within the task, if there is one.
  virtual StateDict state() const { return {}; }
  virtual void load(const StateDict&) {}

  // Everything stored for one class; empty after purge().
  virtual std::vector<StateEntry> state_of(ClassId) const { return {}; }
  virtual void purge(const ClassSet&) {}

  // Remarks for the ledger: what the method could not do for the task's requests.
  virtual std::vector<std::string> remarks(const Task&, const TaskPlan&) const { return {}; }

  // Whether the forget set changes what the method trains. A method that ignores it leaves
  // forgetting to chance, and the ledger says so.
  virtual bool uses_forget_set() const { return false; }
};

}  // namespace lethe
