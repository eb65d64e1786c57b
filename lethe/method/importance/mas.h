// MAS (specification 5.4): a parameter is as important as the length of the scores is sensitive to
// it. No label is asked, hence there is no starred form.
#pragma once

#include <optional>

#include "lethe/core/config.h"
#include "lethe/data/dataset.h"
#include "lethe/method/importance/importance.h"

namespace lethe {

// [method.mas]
struct MasOptions {
  static constexpr const char* kSection = "mas";
  std::optional<double> lambda;  // not set: 5, from 128 pixels on 1
  std::string importance = "square";

  void resolve(const DatasetInfo& info);
};
Fields config_fields(MasOptions& options);

// What MAS differentiates: the mean over samples of the l2 norm of the scores [B, K], for squared
// gradients divided by K (the reference of mnemonic codes).
at::Tensor score_length(const at::Tensor& scores, const std::string& importance);

class Mas : public ImportancePenalty {
 public:
  explicit Mas(const MasOptions& options)
      : ImportancePenalty("mas", options.lambda.value()), options_(options) {}

  std::string first_task_key() const override;

 protected:
  Importances measure(const Task& task, Learner& learner, ClassSet& measured) override;

 private:
  MasOptions options_;
};

}  // namespace lethe
