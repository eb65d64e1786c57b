// The rows in classification without mnemonic codes: the images of the batch are the samples of new
// classes. Old classes have no samples, only their stored prototypes. For the terms of forgotten
// classes, every image also counts as a sample of each forgotten class, weighted by the probability
// that the old model gives to that class: images that look like the class count most.
#pragma once

#include "lethe/method/contrastive/row_source.h"

namespace lethe {

struct StatisticRowOptions {
  bool unit_length = true;  // normalise features to unit length
  double scale = 30;        // of the cosine scores, for the probabilities
};

class StatisticRows : public RowSource {
 public:
  explicit StatisticRows(const StatisticRowOptions& options) : options_(options) {}

  std::optional<StepRows> rows(Step& step) override;
  ClassGroups rows_in(Step& step, const FeatureSpace& space) override;
  // The images update the prototypes of new classes. All others are frozen.
  std::vector<ClassGroups> prototype_rows(Step& step, const FeatureSpace& space,
                                          const ClassSet& known) override;
  ClassSet always_kept() const override { return {}; }

 private:
  at::Tensor as_used(const at::Tensor& features) const;

  StatisticRowOptions options_;
};

}  // namespace lethe
