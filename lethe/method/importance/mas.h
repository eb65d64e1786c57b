// MAS (specification 5.4): the importance of a parameter is the sensitivity of the scores' norm to
// it. MAS uses no labels, so it cannot tell kept from forgotten classes: there is no starred form.
#pragma once

#include <optional>

#include "lethe/core/config.h"
#include "lethe/data/dataset.h"
#include "lethe/method/importance/importance.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

// [method.mas]
struct MasOptions {
  static constexpr const char* kSection = "mas";
  std::optional<double> lambda;  // not set: 5, or 1 for inputs of 128 pixels or more
  GradientMean::Of importance = GradientMean::Of::kSquare;

  void resolve(const DatasetInfo& info);
};
Fields config_fields(MasOptions& options);

// The function that MAS differentiates: the mean over samples of the l2 norm of the scores [B, K],
// divided by K for squared gradients (as in the reference implementation of mnemonic codes).
at::Tensor score_length(const at::Tensor& scores, GradientMean::Of importance);

class Mas : public ImportancePenalty {
 public:
  explicit Mas(const MasOptions& options)
      : ImportancePenalty("mas", options.lambda.value()), options_(options) {}

 protected:
  Importances measure(const Task& task, Learner& learner, ClassSet& measured) override;

 private:
  MasOptions options_;
};

PartRecipe mas_part();

}  // namespace lethe
