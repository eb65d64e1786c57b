// SSUL (specification 5.13): objects that nobody has named yet are a class of their own, "unknown",
// from which new classes start; what was learned before is frozen, and the old model labels what
// the task does not. SSUL* takes no pseudo label that names a class that must go.
//
// Needs the network's heads of their own (model.classifier = "ssul").
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
  double threshold = 0.7;        // of pseudo labels
  bool unknown = true;           // salient background is unknown
  double trunk_lr = 1.0;         // first task: factor on the learning rate of all but the heads
  double head_lr = 10.0;         // later tasks: factor on that of the new and the unknown head
  double background_lr = 0.001;  // later tasks: factor on that of the background's head
};
Fields config_fields(SsulOptions& options);

// Labels as channels of the scores: 0 unknown, 1 background, class + 1; void stays.
// salient: bool [B, H, W], undefined = nothing is unknown.
at::Tensor ssul_labels(const at::Tensor& labels, const at::Tensor& salient);

// The old model's answers, as channels, where the label is unknown or background: the arg-max is a
// class, not one of `without`, and its score is at least the threshold.
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
  std::string first_task_key() const override;

 private:
  SsulOptions options_;
  OldClasses classes_;
  int64_t task_ = 1;
};

MethodRecipe ssul_recipe(OldClasses classes);

}  // namespace lethe
