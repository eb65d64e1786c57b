// The contrastive method works on rows: feature vectors, each with a class. A RowSource turns a
// step into rows. In classification a row is an image or a mnemonic code (code_rows.h); in
// segmentation a row is a position of the feature map (pixel_rows.h).
#pragma once

#include <optional>
#include <vector>

#include "lethe/features/class_groups.h"
#include "lethe/method/contrastive/projections.h"
#include "lethe/method/step.h"

namespace lethe {

// The rows of a step, with gradient.
struct StepRows {
  ClassGroups rows;  // for terms that compare rows with prototypes

  // The in-batch prototypes, for terms that compare classes with each other.
  at::Tensor classes;  // int64 [P]
  at::Tensor means;    // [P, D]
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  // std::nullopt if the step contains no class.
  virtual std::optional<StepRows> rows(Step& step) = 0;

  // StepRows::rows in another feature space.
  virtual ClassGroups rows_in(Step& step, const FeatureSpace& space) = 0;

  // The rows that update the prototypes of a feature space, without gradient. The step must have
  // images. known: old classes that have a prototype.
  virtual std::vector<ClassGroups> prototype_rows(Step& step, const FeatureSpace& space,
                                                  const ClassSet& known) = 0;

  // Classes that are kept in every task: background, in segmentation.
  virtual ClassSet always_kept() const = 0;
};

}  // namespace lethe
