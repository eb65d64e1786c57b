// The rows in segmentation (specification 5.14.3): every position of the feature map is a row, and
// its class is its pseudo label. Old classes take part where the new images contain them.
#pragma once

#include "lethe/features/pixels.h"
#include "lethe/method/contrastive/row_source.h"

namespace lethe {

struct PixelRowOptions {
  bool unit_length = false;                   // normalise features to unit length
  double pseudo_threshold = 0;                // see pixel_labels()
  GroupScope scope = GroupScope::kBatch;      // kImage: a class has one group of rows per image
  GroupScope weighting = GroupScope::kBatch;  // kImage: prototypes are means of per-image means
  bool update_old = true;         // pseudo labels update the prototypes of kept old classes
  bool update_background = true;  // background has a prototype
};

class PixelRows : public RowSource {
 public:
  explicit PixelRows(const PixelRowOptions& options) : options_(options) {}

  std::optional<StepRows> rows(Step& step) override;
  ClassGroups rows_in(Step& step, const FeatureSpace& space) override;
  // Forgotten classes do not update their prototypes: the prototype would follow the pixels that
  // are being dispersed.
  std::vector<ClassGroups> prototype_rows(Step& step, const FeatureSpace& space,
                                          const ClassSet& known) override;
  ClassSet always_kept() const override;

 private:
  at::Tensor map_of(Step& step) const;

  PixelRowOptions options_;
};

}  // namespace lethe
