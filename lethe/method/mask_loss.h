// The loss of the new classes in segmentation, the first part of every segmentation method: plain
// cross-entropy (specification 5.2), MiB's unbiased form (5.10), or plain on pseudo labels (5.8).
// In an event that only forgets, the images have the labels of kept classes, and the unbiased forms
// become plain cross-entropy.
#pragma once

#include <string>

#include "lethe/core/config.h"
#include "lethe/method/method.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

enum class MaskLossForm {
  kPlain,
  kUnbiased,               // background pixels may belong to old classes
  kUnbiasedDropForgotten,  // the same, but not to forgotten classes
  kPseudo,                 // plain, on pseudo labels, with forgotten classes as background
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
  bool uses_forget_set() const override {
    return form_ == MaskLossForm::kUnbiasedDropForgotten || form_ == MaskLossForm::kPseudo;
  }

 private:
  MaskLossForm form_;
  double pseudo_threshold_;
};

PartRecipe mask_loss_part();      // plain cross-entropy
PartRecipe unbiased_loss_part();  // MiB's, with the options of [method.ce]

}  // namespace lethe
