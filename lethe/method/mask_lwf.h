// Distillation on masks, of LwF, MiB, SDR and the contrastive method (specification 5.9, 5.10): the
// channels of old classes answer as the old model's do; the starred forms ask that of kept ones.
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
  std::optional<double> weight;  // not set: by method
  std::string star = "auto";     // by method
  std::string star_norm = "kept";
  double alpha = 1.0;

  // What "auto" means for a method.
  void resolve_for(double weight_of_method, const char* star_of_method);
  MaskDistillationOptions form(StudentMass mass) const;
};
Fields config_fields(MaskLwfOptions& options);

class MaskLwf : public Method {
 public:
  // With codes: also on the images that codes are mixed into.
  MaskLwf(double weight, const MaskDistillationOptions& form, OldClasses classes,
          std::shared_ptr<CodeBook> codes = nullptr)
      : weight_(weight), form_(form), classes_(classes), codes_(std::move(codes)) {}

  LossTerms losses(Step& step) override;
  std::string first_task_key() const override { return ""; }

 private:
  double weight_;
  MaskDistillationOptions form_;
  OldClasses classes_;
  std::shared_ptr<CodeBook> codes_;
};

}  // namespace lethe
