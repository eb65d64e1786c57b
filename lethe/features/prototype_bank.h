// Global prototypes: the mean feature of every class over the whole stream (specification 5.14).
// They never carry a gradient. Memory grows with the highest class id; the cost of an update
// depends only on the classes present.
//
//   bank.update(group_by_class(features, labels));
//   auto p = bank.of(groups.classes);      // [G, D]
//
// With proto_weighting = "image", groups are per image (call group_by_class with images).
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
  kEma,         // p <- momentum p + (1 - momentum) p_batch; the first batch is taken unchanged
};

struct PrototypeOptions {
  PrototypeUpdate update = PrototypeUpdate::kPixelCount;
  double momentum = 0.9;  // for kEma, in [0, 1)
};

class PrototypeBank {
 public:
  explicit PrototypeBank(const PrototypeOptions& options = {}) : options_(options) {}

  // Batch-wide groups give every row the same weight; per-image groups give every image the same
  // weight. Features are detached.
  void update(const ClassGroups& groups);

  // Returns the prototypes [G, D] of the given classes (int64 [G]); zero for classes without a
  // prototype.
  at::Tensor of(const at::Tensor& classes) const;
  // Which of the classes (int64 [G]) have a prototype: bool [G].
  at::Tensor known(const at::Tensor& classes) const;
  bool has(ClassId id) const;
  ClassSet classes() const;  // classes that have a prototype

  // Discards the accumulated means of the classes; the next update starts from scratch.
  void erase(const ClassSet& classes);

  // All arguments must be on the bank's device. Without to(), the first update sets the device.
  void to(const at::Device& device);

  int64_t bytes_of(ClassId id) const;  // 0 if the class has no prototype
  StateDict state() const;             // "mean" [K, D], "count" int64 [K]; empty before any update
  void load(const StateDict& state);

 private:
  void grow(int64_t classes, const at::Tensor& like);

  PrototypeOptions options_;
  at::Tensor mean_;   // [K, D]
  at::Tensor count_;  // int64 [K]: rows (kPixelCount) or batches; 0 = none
};

}  // namespace lethe
