// LwF and LwF* (specification 5.5): on the new images, the outputs of old heads stay close to those
// of the old model. LwF* does this for kept classes only; a second term can lower the scores of
// forgotten classes. Erased classes are in no softmax.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lethe/core/config.h"
#include "lethe/method/codes/codes.h"
#include "lethe/method/finetune.h"
#include "lethe/method/method.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

enum class ForgottenTarget {
  kNone,
  kUniform,  // LSF's second term: pulls the scores of forgotten classes towards one low score
};

// [method.lwf]
struct LwfOptions {
  static constexpr const char* kSection = "lwf";
  double lambda = 5.0;
  double mix_weight = 1.0;  // factor on the term of mixed images
  double temperature = 2.0;
  std::optional<ForgottenTarget> forgotten_target;  // not set: the method decides
  double forgotten_score = -0.3;  // with kUniform: the score is at most this, and at most 1/K
};
Fields config_fields(LwfOptions& options);

// What the distillation acts on.
enum class LwfClasses {
  kAll,        // every old class
  kKept,       // kept classes, and with ForgottenTarget::kUniform also forgotten classes
  kForgotten,  // only ForgottenTarget::kUniform
};

class Lwf : public Method {
 public:
  // With codes: also on images mixed with codes, and, in a step without images, on the codes of
  // kept classes. teacher: gives the scores of the old model; null = the old model itself does.
  Lwf(const LwfOptions& options, const ClassLossOptions& class_loss, LwfClasses classes,
      std::shared_ptr<CodeBook> codes = nullptr, std::shared_ptr<ErasedTeacher> teacher = nullptr)
      : options_(options),
        scale_(class_loss.scale),
        classes_(classes),
        codes_(std::move(codes)),
        teacher_(std::move(teacher)) {}

  LossTerms losses(Step& step) override;
  bool uses_forget_set() const override { return classes_ != LwfClasses::kAll; }

 private:
  struct Input {
    at::Tensor images;
    Statistics statistics;
  };
  // One term over all inputs.
  void add_terms(Step& step, const std::vector<Input>& inputs, const std::string& suffix,
                 LossTerms& terms) const;

  LwfOptions options_;
  double scale_;  // a: the cosines are not scaled here, so the weight has the factor a^2 T^2
  LwfClasses classes_;
  std::shared_ptr<CodeBook> codes_;
  std::shared_ptr<ErasedTeacher> teacher_;
};

// With the codes and the teacher of earlier parts, if there are any. target: the default of
// forgotten_target.
PartRecipe lwf_part(LwfClasses classes, ForgottenTarget target = ForgottenTarget::kNone);

}  // namespace lethe
