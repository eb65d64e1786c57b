// The teacher of contrastive+ (specification 5.16): the old model without what its features say
// about forgotten classes. Distillation from the old model itself would carry the geometry of a
// forgotten class into the new model, even if the scores of the class are masked.
//
// Shared by the parts of a method; prepared once per event. It has no state.
#pragma once

#include <memory>

#include "lethe/features/class_statistics.h"
#include "lethe/features/erasure.h"
#include "lethe/method/method.h"
#include "lethe/method/plus/plus_options.h"

namespace lethe {

class ErasedTeacher {
 public:
  ErasedTeacher(const PlusOptions& options, std::shared_ptr<ClassStatistics> statistics)
      : options_(options), statistics_(std::move(statistics)) {}

  // Computes the erasure for the old model of an event: from the statistics of old classes and, if
  // the event learns, from the features of its images. Without statistics of a forgotten class the
  // teacher is the old model.
  void prepare(const Task& task, const Learner& learner);
  void clear();

  // Whether the old model and the teacher differ.
  bool erases() const { return !erasure_.is_identity(); }
  // Erases features [B, D] of the old model.
  at::Tensor erased(const at::Tensor& features) const { return erasure_.apply(features); }
  // Variances [D] of the features within a class, plus 1e-3. Only if erases().
  const at::Tensor& variance() const { return variance_; }

  // The teacher's features [B, D] and logits [B, K] for images of a step.
  at::Tensor features(Step& step, const at::Tensor& images) const;
  at::Tensor logits(Step& step, const at::Tensor& images) const;

 private:
  PlusOptions options_;
  std::shared_ptr<ClassStatistics> statistics_;
  Erasure erasure_;
  at::Tensor variance_;
};

}  // namespace lethe
