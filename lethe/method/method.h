// A Method is a strategy: which losses a step has, what happens at task borders, what is kept
// between them, and how it forgets. The trainer calls, for every task,
//
//   begin_task  (losses)*  end_task
//
// sums the terms, steps the optimiser, logs them, and saves state(). Methods never step or save by
// themselves.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/state_dict.h"
#include "lethe/method/step.h"

namespace lethe {

// One summand of the loss. What is minimised is weight * value.
struct LossTerm {
  std::string name;  // "ce", "in_d"
  at::Tensor value;  // scalar
  double weight = 1.0;
  bool restrains = false;  // only holds back what other terms do: alone it is no work
};
using LossTerms = std::vector<LossTerm>;

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

// Something that is kept of a class between tasks: for the audit, and what purge() erases.
struct StateEntry {
  std::string name;  // "prototype"
  int64_t bytes = 0;
};

// What a method may touch at task borders.
struct Learner {
  Network& network;      // the student
  Network* old;          // frozen, null in the first task
  const TaskPlan& plan;  // of which a method may know what is due by now
  uint64_t seed;
  const DatasetInfo* info = nullptr;  // of the images
  // A term whose second derivative is larger makes training diverge at the task's learning rate.
  double stable_curvature = std::numeric_limits<double>::infinity();

  // One more pass over the task's training images, augmented as in training. Only at the end of a
  // task; nothing in one without images.
  std::function<void(const std::function<void(const Batch&)>&)> each_batch = {};
};

class Method {
 public:
  virtual ~Method() = default;

  // The network already has the outputs of the new classes.
  virtual void begin_task(const Task&, Learner&) {}

  // The terms of one step. Empty: nothing to learn here (a request without images, for a method
  // that needs images).
  virtual LossTerms losses(Step& step) = 0;

  virtual void end_task(const Task&, Learner&) {}

  // Its own trainable tensors (projections): optimised with the network's.
  virtual std::vector<NamedTensor> parameters() { return {}; }

  // How fast a parameter of the network learns in the task at hand, as a factor of the learning
  // rate; asked after begin_task. 0 freezes it: no gradient, no weight decay, the same bits
  // afterwards.
  virtual double lr_factor(const std::string& /*parameter*/) const { return 1.0; }

  // What must survive a restart. A resumed run calls load() with the state after the last finished
  // task, then begin_task(), then load() with the state within the task, if there is one.
  virtual StateDict state() const { return {}; }
  virtual void load(const StateDict&) {}

  // What is kept of one class; after purge() of it: nothing.
  virtual std::vector<StateEntry> state_of(ClassId) const { return {}; }
  virtual void purge(const ClassSet&) {}

  // What the ledger should say beside the task's requests: what the method could not do for them.
  virtual std::vector<std::string> remarks(const Task&, const TaskPlan&) const { return {}; }

  // Whether the forget set changes what the method trains. A method that ignores it leaves
  // forgetting to chance, and the ledger says so.
  virtual bool uses_forget_set() const { return false; }

  // What the method adds to plain training in the first task. Methods with the same text train it
  // identically, bit for bit, and may share it.
  virtual std::string first_task_key() const = 0;

  // Whether its state after the first task depends on the requests that are due by then.
  virtual bool first_task_heeds_requests() const { return false; }
};

}  // namespace lethe
