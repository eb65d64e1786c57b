// A Step is one iteration as a method sees it: the batch, the task, and the forward passes. A pass
// is computed on first use and cached, so that the parts of a composed method share passes without
// knowing about each other. A step runs each network once per distinct input.
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

// The batch-norm statistics of a pass of the student. Inputs that need different statistics must be
// separate passes.
enum class Statistics {
  kBatch,          // batch statistics; the running statistics are updated
  kBatchNoUpdate,  // batch statistics; the running statistics are not updated
  kRunning,        // running statistics, as in evaluation
};

// The position of a step in the run. It keys the step's random generators.
struct StepAddress {
  uint64_t seed = 0;
  int64_t step = 0;     // counted over the run
  int64_t epoch = 0;    // counted over the run
  int64_t part = 0;     // part of the batch, if gradients are accumulated (train.accumulate)
  double progress = 0;  // share of the task's epochs that are complete, in [0, 1)
};

// Number of forward passes and images of a step.
struct PassCounts {
  int student = 0;
  int old = 0;
  int64_t student_inputs = 0;  // images in all passes
  int64_t old_inputs = 0;

  PassCounts& operator+=(const PassCounts& other);
};

class Step {
 public:
  // old is null in the first task. All references must outlive the step. In mixed precision (CUDA)
  // the networks run in half precision; their outputs are float32.
  Step(const Task& task, const Batch& batch, Network& student, Network* old, Stopwatch& watch,
       const StepAddress& address = {}, bool mixed_precision = false);

  const Task& task() const { return task_; }
  const Batch& batch() const { return batch_; }

  int64_t number() const { return address_.step; }
  int64_t epoch() const { return address_.epoch; }
  int64_t part() const { return address_.part; }
  double progress() const { return address_.progress; }
  // A random generator for this step. The purpose must be one that is keyed by step.
  Random random(Purpose purpose, uint32_t which = 0) const {
    return {address_.seed, purpose, static_cast<uint32_t>(address_.step),
            which + (static_cast<uint32_t>(address_.part) << 16)};
  }

  // One head per task so far, the current head last. In an event that only forgets: the old heads.
  const std::vector<Head>& heads() const { return student_.heads(); }
  const std::vector<Head>& old_heads() const;
  // The head of the current task. Throws Error in an event that only forgets.
  const Head& current_head() const;
  // Classes that were erased from both networks; see HeadColumns.
  const ClassSet& erased() const { return student_.erased(); }

  bool has_old() const { return old_ != nullptr; }

  // The student's output. The input must be on the network's device. Outputs are cached by tensor
  // identity, not by value; repeated calls use the statistics of the first call.
  const ModelOutput& student(const at::Tensor& input, Statistics statistics = Statistics::kBatch);
  // The old model's output, without a gradient graph. Throws Error if there is no old model.
  const ModelOutput& old(const at::Tensor& input);

  // The old model's logits for features [B, D] that a part of the method has changed, e.g. erased.
  at::Tensor old_logits_of(const at::Tensor& features);

  // Adds a scalar (on any device) to the step's log record, e.g. under the name
  // "forgotten_pixels.boat".
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
