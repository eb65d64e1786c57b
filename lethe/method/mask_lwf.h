// Distillation in segmentation, for LwF, MiB, SDR and the contrastive method (specification 5.9,
// 5.10): the outputs of old classes stay close to those of the old model. The starred forms do this
// for kept classes only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lethe/core/config.h"
#include "lethe/losses/mask_distillation.h"
#include "lethe/method/codes/codes.h"
#include "lethe/method/method.h"
#include "lethe/method/old_classes.h"

namespace lethe {

// [method.kd]
struct MaskLwfOptions {
  static constexpr const char* kSection = "kd";
  std::optional<double> weight;  // not set: depends on the method
  std::optional<StarForm> star;  // not set: depends on the method
  StarNorm star_norm = StarNorm::kKept;
  double alpha = 1.0;

  // Sets the method's defaults where no value is set.
  void resolve_for(double weight_of_method, StarForm star_of_method);
  // After resolve_for().
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
  std::string first_task_key() const override { return ""; }

 private:
  double weight_;
  MaskDistillationOptions form_;
  OldClasses classes_;
  std::shared_ptr<CodeBook> codes_;
};

}  // namespace lethe
