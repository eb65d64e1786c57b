// A Step is one iteration as a method sees it: the batch, the task, and the passes through the
// networks. A pass is computed on first use and remembered, so that composed methods share passes
// without knowing of each other: a step runs each trunk once per distinct input.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lethe/core/random.h"
#include "lethe/core/stopwatch.h"
#include "lethe/data/batch.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// Which statistics batch norm uses in a pass of the student. Inputs of different kinds are separate
// passes.
enum class Statistics {
  kBatch,          // those of the input; the running ones are updated
  kBatchNoUpdate,  // those of the input; the running ones stay
  kRunning,        // the running ones, as in evaluation
};

// Where a step is in the run: what its chance is addressed by.
struct StepAddress {
  uint64_t seed = 0;
  int64_t step = 0;   // of the run
  int64_t epoch = 0;  // of the run
  int64_t part = 0;   // of the step's batch, where gradients are accumulated (train.accumulate)
};

// What a step sent through the networks.
struct PassCounts {
  int student = 0;
  int old = 0;
  int64_t student_inputs = 0;  // images in all passes
  int64_t old_inputs = 0;

  PassCounts& operator+=(const PassCounts& other);
};

class Step {
 public:
  // old may be null: there is none in the first task. All references outlive the step. In mixed
  // precision (CUDA) the networks compute in half precision; what they answer is float32.
  Step(const Task& task, const Batch& batch, Network& student, Network* old, Stopwatch& watch,
       const StepAddress& address = {}, bool mixed_precision = false);

  const Task& task() const { return task_; }
  const Batch& batch() const { return batch_; }

  int64_t number() const { return address_.step; }
  int64_t epoch() const { return address_.epoch; }
  int64_t part() const { return address_.part; }
  // A generator of this step's own. Purposes of steps are addressed by the step.
  Random random(Purpose purpose, uint32_t which = 0) const {
    return {address_.seed, purpose, static_cast<uint32_t>(address_.step),
            which + (static_cast<uint32_t>(address_.part) << 16)};
  }

  // One per task so far, the current one last (a step with a request only: the old ones).
  const std::vector<Head>& heads() const { return student_.heads(); }
  const std::vector<Head>& old_heads() const;
  // The head that learns now. Throws Error in a step without images.
  const Head& current_head() const;

  bool has_old() const { return old_ != nullptr; }

  // The networks' answers to an input on their device; inputs are told apart by identity, not by
  // value. An input keeps the statistics of its first call.
  const ModelOutput& student(const at::Tensor& input, Statistics statistics = Statistics::kBatch);
  // Without a gradient graph. Throws Error if there is no old model.
  const ModelOutput& old(const at::Tensor& input);

  // A number that belongs to the step's record, a scalar on any device: "forgotten_pixels.boat".
  void note(std::string name, at::Tensor value) {
    notes_.emplace_back(std::move(name), std::move(value));
  }
  const std::vector<std::pair<std::string, at::Tensor>>& notes() const { return notes_; }

  int student_passes() const { return static_cast<int>(student_passes_.size()); }
  int old_passes() const { return static_cast<int>(old_passes_.size()); }
  PassCounts passes() const;

 private:
  struct Pass {
    at::Tensor input;
    ModelOutput output;
  };
  static const ModelOutput* find(const std::vector<std::unique_ptr<Pass>>& passes,
                                 const at::Tensor& input);

  const Task& task_;
  const Batch& batch_;
  Network& student_;
  Network* old_;
  Stopwatch& watch_;
  StepAddress address_;
  bool mixed_precision_;
  std::vector<std::unique_ptr<Pass>> student_passes_;
  std::vector<std::unique_ptr<Pass>> old_passes_;
  std::vector<std::pair<std::string, at::Tensor>> notes_;
};

}  // namespace lethe
