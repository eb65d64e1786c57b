// MC in segmentation (specification 5.7; our proposal, because the paper does not describe it):
// codes are mixed into the pixels of their class (L_M). In later tasks every pixel of a kept
// class's code must still be recognised as that class (L_SF).
#pragma once

#include <memory>

#include "lethe/method/codes/codes.h"
#include "lethe/method/codes/mnemonic.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

class MaskMnemonic : public CodeKeeper {
 public:
  MaskMnemonic(const MnemonicOptions& options, std::shared_ptr<CodeBook> codes)
      : CodeKeeper(std::move(codes)), options_(options) {}

  LossTerms losses(Step& step) override;

 private:
  MnemonicOptions options_;
};

// Makes the codes that later parts share.
PartRecipe mask_mnemonic_part();

}  // namespace lethe
