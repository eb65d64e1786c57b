// FT (specification 5.2): the loss of the batch's images, without protection of old classes. It is
// also the first part of the other classification methods.
#pragma once

#include "lethe/core/config.h"
#include "lethe/losses/additive_margin.h"
#include "lethe/method/method.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

enum class ClassLoss { kAmSoftmax, kCrossEntropy };

// [method.cls]: the classification loss of every method.
struct ClassLossOptions {
  static constexpr const char* kSection = "cls";
  ClassLoss loss = ClassLoss::kAmSoftmax;
  double scale = 30.0;
  double margin = 0.35;
  double weight = 1.0;

  // Plain cross-entropy on a cosine head is the margin loss with margin 0.
  AdditiveMarginOptions margin_options() const;
};
Fields config_fields(ClassLossOptions& options);

class FineTune : public Method {
 public:
  explicit FineTune(const ClassLossOptions& options) : options_(options) {}

  LossTerms losses(Step& step) override;

 private:
  ClassLossOptions options_;
};

PartRecipe fine_tune_part();

}  // namespace lethe
