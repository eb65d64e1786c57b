// Distillation in segmentation, for LwF, MiB, SDR and the contrastive method (specification 5.9,
// 5.10): the outputs of old classes stay close to those of the old model. The starred forms do this
// for kept classes only. Erased classes are in no softmax.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lethe/core/config.h"
#include "lethe/losses/mask_distillation.h"
#include "lethe/method/codes/codes.h"
#include "lethe/method/method.h"
#include "lethe/method/old_classes.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

// [method.kd]
struct MaskLwfOptions {
  static constexpr const char* kSection = "kd";
  std::optional<double> weight;  // not set: depends on the method
  StarForm star = StarForm::kDrop;
  StarNorm star_norm = StarNorm::kKept;
  double alpha = 1.0;

  MaskDistillationOptions form(StudentMass mass) const;
};
Fields config_fields(MaskLwfOptions& options);

class MaskLwf : public Method {
 public:
  // With codes: also on images mixed with codes.
  MaskLwf(double weight, const MaskDistillationOptions& form, OldClasses classes,
          std::shared_ptr<CodeBook> codes = nullptr)
      : weight_(weight), form_(form), classes_(classes), codes_(std::move(codes)) {}

  LossTerms losses(Step& step) override;
  bool uses_forget_set() const override { return classes_ == OldClasses::kKept; }

 private:
  double weight_;
  MaskDistillationOptions form_;
  OldClasses classes_;
  std::shared_ptr<CodeBook> codes_;
};

// The distillation of a method: its form, and its default weight.
struct MethodDistillation {
  StudentMass mass;
  double weight;
};
inline constexpr MethodDistillation kLwfDistillation = {StudentMass::kOld, 100};
inline constexpr MethodDistillation kMibDistillation = {StudentMass::kUnbiased, 10};
inline constexpr MethodDistillation kSdrDistillation = {StudentMass::kUnbiased, 100};

// With the codes of an earlier part, if there is one.
PartRecipe mask_lwf_part(const MethodDistillation& distillation, OldClasses classes);

}  // namespace lethe
