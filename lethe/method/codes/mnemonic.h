// Mnemonic codes (MC, specification 5.7): codes are mixed into the images of every task (L_M). In
// later tasks the network must still recognise the codes of kept classes (L_SF). Codes of forgotten
// classes are not shown again, unless forgotten_entropy > 0.
#pragma once

#include <memory>

#include "lethe/method/codes/codes.h"
#include "lethe/method/finetune.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

// [method.mc]
struct MnemonicOptions {
  static constexpr const char* kSection = "mc";
  double lambda_sf = 10.0;
  double forgotten_entropy = 0.0;
};
Fields config_fields(MnemonicOptions& options);

// A part that owns the state of a code book. Other parts may share the book.
class CodeKeeper : public Method {
 public:
  explicit CodeKeeper(std::shared_ptr<CodeBook> codes) : codes_(std::move(codes)) {}

  void begin_task(const Task& task, Learner& learner) override;
  StateDict state() const override { return codes_->state(); }
  void load(const StateDict& state) override { codes_->load(state); }
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override { codes_->purge(classes); }
  bool uses_forget_set() const override { return true; }  // L_SF excludes forgotten classes

 protected:
  CodeBook& codes() { return *codes_; }

 private:
  std::shared_ptr<CodeBook> codes_;
};

class Mnemonic : public CodeKeeper {
 public:
  Mnemonic(const MnemonicOptions& options, const ClassLossOptions& class_loss,
           std::shared_ptr<CodeBook> codes)
      : CodeKeeper(std::move(codes)), options_(options), class_loss_(class_loss) {}

  LossTerms losses(Step& step) override;

 private:
  at::Tensor kept_loss(Step& step);
  at::Tensor forgotten_entropy(Step& step);

  MnemonicOptions options_;
  ClassLossOptions class_loss_;
};

// The part that makes the codes; later parts share them.
PartRecipe mnemonic_part();

}  // namespace lethe
