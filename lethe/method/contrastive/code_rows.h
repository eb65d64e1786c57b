// The rows in classification (specification 5.14.4): the images of the batch are the samples of new
// classes, and mnemonic codes are the samples of old classes.
#pragma once

#include <memory>

#include "lethe/method/codes/codes.h"
#include "lethe/method/contrastive/row_source.h"

namespace lethe {

struct CodeRowOptions {
  bool unit_length = true;      // normalise features to unit length
  bool mixed_images = true;     // images mixed with codes are samples of their class, too
  bool kept_codes = true;       // some term needs the codes of kept classes
  bool forgotten_codes = true;  // some term needs the codes of forgotten classes
  double forgotten_mix = 0;     // maximum weight of images mixed into codes of forgotten classes
  bool update_old = false;      // codes of kept classes update the prototypes of these classes
};

class CodeRows : public RowSource {
 public:
  CodeRows(const CodeRowOptions& options, std::shared_ptr<CodeBook> codes)
      : options_(options), codes_(std::move(codes)) {}

  std::optional<StepRows> rows(Step& step) override;
  ClassGroups rows_in(Step& step, const FeatureSpace& space) override;
  // The images update the prototypes of new classes. Prototypes of old classes are frozen, unless
  // update_old is set; so are those of kept classes in an event that only forgets.
  std::vector<ClassGroups> prototype_rows(Step& step, const FeatureSpace& space,
                                          const ClassSet& known) override;
  ClassSet always_kept() const override { return {}; }

 private:
  at::Tensor as_used(const at::Tensor& features) const;

  CodeRowOptions options_;
  std::shared_ptr<CodeBook> codes_;
};

}  // namespace lethe
