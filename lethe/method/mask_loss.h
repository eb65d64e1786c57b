// The loss of the new classes in masks, the base of every segmentation method: plain cross-entropy
// (specification 5.2), MiB's unbiased form (5.10), or plain on pseudo labels (5.8).
#pragma once

#include <string>

#include "lethe/core/config.h"
#include "lethe/method/method.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

enum class MaskLossForm {
  kPlain,
  kUnbiased,               // background may hide old classes
  kUnbiasedDropForgotten,  // the same, but not those that must go
  kPseudo,                 // plain on the old model's labels, classes that must go as background
};

// Names in configurations.
const ChoiceNames<MaskLossForm>& mask_loss_names();

// [method.ce]
struct MaskLossOptions {
  static constexpr const char* kSection = "ce";
  bool drop_forgotten = false;
};
Fields config_fields(MaskLossOptions& options);

class MaskLoss : public Method {
 public:
  explicit MaskLoss(MaskLossForm form, double pseudo_threshold = 0)
      : form_(form), pseudo_threshold_(pseudo_threshold) {}

  LossTerms losses(Step& step) override;
  bool uses_forget_set() const override { return form_ == MaskLossForm::kUnbiasedDropForgotten; }
  // Without an old model all forms are the plain one.
  std::string first_task_key() const override { return "mask cross-entropy"; }

 private:
  MaskLossForm form_;
  double pseudo_threshold_;
};

PartRecipe mask_loss_part();      // plain cross-entropy
PartRecipe unbiased_loss_part();  // MiB's, with the options of [method.ce]

}  // namespace lethe
