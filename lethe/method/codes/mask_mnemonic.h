// MC on masks (specification 5.7, our proposal: the paper names it and does not say how): codes are
// mixed into the pixels of their class (L_M), and later an image that is nothing but the code of a
// kept class must still be that class everywhere (L_SF).
#pragma once

#include <memory>

#include "lethe/method/codes/codes.h"
#include "lethe/method/codes/mnemonic.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

// Owns the state of the code book; other parts may share it.
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
