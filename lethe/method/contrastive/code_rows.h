// The contrastive terms of classification (specification 5.14.4): samples of the batch show the new
// classes, mnemonic codes stand for the old ones.
#pragma once

#include <memory>

#include "lethe/method/codes/codes.h"
#include "lethe/method/contrastive/contrastive.h"

namespace lethe {

class CodeContrastive : public Contrastive {
 public:
  CodeContrastive(const ContrastiveOptions& options, std::shared_ptr<CodeBook> codes)
      : Contrastive(options), codes_(std::move(codes)) {}

 protected:
  // p_c of a class is accumulated from its images while its task is trained, and frozen afterwards
  // (or follows the features of its code).
  void update_prototypes(Step& step) override;
  std::optional<Observed> observe(Step& step) override;

 private:
  std::shared_ptr<CodeBook> codes_;
};

}  // namespace lethe
