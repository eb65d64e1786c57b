// Global prototypes: the mean feature of every class over the whole stream (specification 5.14).
// They never carry a gradient. Memory grows with the highest class; an update costs what is
// present.
//
//   bank.update(group_by_class(features, labels));
//   auto p = bank.of(groups.classes);      // [G, D]
//
// With proto.weighting = "image" the groups come per image (group_by_class with images).
#pragma once

#include <cstdint>
#include <string>

#include "lethe/core/class_set.h"
#include "lethe/core/state_dict.h"
#include "lethe/features/class_groups.h"

namespace lethe {

enum class PrototypeUpdate {
  kPixelCount,  // the exact mean over all rows seen: p <- (n p + sum) / (n + m)
  kIteration,   // every batch counts the same: p <- ((k - 1) p + p_batch) / k
  kEma,         // p <- momentum p + (1 - momentum) p_batch; the first batch as it is
};

struct PrototypeOptions {
  PrototypeUpdate update = PrototypeUpdate::kPixelCount;
  double momentum = 0.9;  // of kEma, [0, 1)
};

class PrototypeBank {
 public:
  explicit PrototypeBank(const PrototypeOptions& options = {}) : options_(options) {}

  // Groups that span the batch weigh rows equally; groups per image weigh images equally. Features
  // are taken without their gradient.
  void update(const ClassGroups& groups);

  // The prototypes of classes (int64 [G]), [G, D]; zero where the class is unknown.
  at::Tensor of(const at::Tensor& classes) const;
  // Which of classes (int64 [G]) have one: bool [G].
  at::Tensor known(const at::Tensor& classes) const;
  bool has(ClassId id) const;
  ClassSet classes() const;  // that have one

  // Forgets what was accumulated of the classes: the next update starts them afresh.
  void erase(const ClassSet& classes);

  // Features and classes that it is asked of must be on its device; what it meets first decides.
  void to(const at::Device& device);

  int64_t bytes_of(ClassId id) const;  // 0 if it has none
  StateDict state() const;             // "mean" [K, D], "count" int64 [K]; empty before any update
  void load(const StateDict& state);

 private:
  void grow(int64_t classes, const at::Tensor& like);

  PrototypeOptions options_;
  at::Tensor mean_;   // [K, D]
  at::Tensor count_;  // int64 [K]: rows (kPixelCount) or batches; 0 = none
};

}  // namespace lethe
