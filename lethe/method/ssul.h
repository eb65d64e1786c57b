// SSUL (specification 5.13): unlabelled objects form a class "unknown", from which new classes are
// initialised. Learned weights are frozen, and the old model labels the pixels that the task does
// not label. SSUL* uses no pseudo labels of forgotten classes.
//
// Needs a network with separate heads (model.classifier = "ssul").
#pragma once

#include <string>

#include "lethe/core/config.h"
#include "lethe/method/method.h"
#include "lethe/method/old_classes.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

// [method.ssul]
struct SsulOptions {
  static constexpr const char* kSection = "ssul";
  double threshold = 0.7;  // minimum score of a pseudo label
  bool unknown = true;     // salient background is unknown
  // Learning-rate factors.
  double trunk_lr = 1.0;         // first task: everything except the heads
  double head_lr = 10.0;         // later tasks: the new and the unknown head
  double background_lr = 0.001;  // later tasks: the background head
};
Fields config_fields(SsulOptions& options);

// Labels as channels of the scores: 0 unknown, 1 background, class + 1; void stays void.
// salient: bool [B, H, W]; undefined = no pixel is unknown.
at::Tensor ssul_labels(const at::Tensor& labels, const at::Tensor& salient);

// Replaces the labels "unknown" and "background" with the old model's prediction (a channel), if
// that is a class that is not in `without` and its score is at least the threshold.
at::Tensor ssul_pseudo_labels(const at::Tensor& labels, const at::Tensor& old_answer,
                              const at::Tensor& old_score, double threshold,
                              const ClassSet& without);

class Ssul : public Method {
 public:
  Ssul(const SsulOptions& options, OldClasses classes) : options_(options), classes_(classes) {}

  void begin_task(const Task& task, Learner& learner) override;
  LossTerms losses(Step& step) override;
  bool uses_forget_set() const override { return classes_ == OldClasses::kKept; }
  double lr_factor(const std::string& parameter) const override;

 private:
  SsulOptions options_;
  OldClasses classes_;
  bool first_task_ = true;
  std::string newest_head_;  // "classifier.2."
};

MethodRecipe ssul_recipe(OldClasses classes);

}  // namespace lethe
