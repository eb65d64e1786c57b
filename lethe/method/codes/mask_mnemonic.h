// Mnemonic codes (MC) in segmentation (specification 5.7). The paper does not describe this case;
// this is our proposal. Codes are mixed into the pixels of their class (L_M). In later tasks every
// pixel of a kept class's code must still be recognised as that class (L_SF).
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

// The part that makes the codes; later parts share them.
PartRecipe mask_mnemonic_part();

}  // namespace lethe
