// Classes are numbered in the order in which the stream brings them: 0, 1, 2, ... over all tasks
// (segmentation: 0 is background). What a data set calls them is translated once, by the task plan.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace lethe {

using ClassId = int64_t;

// The label of a pixel that counts neither in training nor in evaluation.
inline constexpr ClassId kVoid = 255;

// A small sorted set of classes.
class ClassSet {
 public:
  ClassSet() = default;
  ClassSet(std::initializer_list<ClassId> ids);
  explicit ClassSet(std::vector<ClassId> ids);

  // first, first + 1, ..., first + count - 1
  static ClassSet range(ClassId first, int64_t count);

  bool contains(ClassId id) const;
  bool empty() const { return ids_.empty(); }
  int64_t size() const { return static_cast<int64_t>(ids_.size()); }
  auto begin() const { return ids_.begin(); }
  auto end() const { return ids_.end(); }
  const std::vector<ClassId>& ids() const { return ids_; }

  // 1 where first + i is in the set, 0 elsewhere: float [count] on the CPU.
  at::Tensor mask(ClassId first, int64_t count) const;

  friend ClassSet operator|(const ClassSet& a, const ClassSet& b);
  friend ClassSet operator&(const ClassSet& a, const ClassSet& b);
  friend ClassSet operator-(const ClassSet& a, const ClassSet& b);
  bool operator==(const ClassSet&) const = default;

 private:
  std::vector<ClassId> ids_;  // ascending, no duplicates
};

}  // namespace lethe
