// Class ids and sets of classes. Classes are numbered 0, 1, 2, ... in the order in which the tasks
// introduce them (segmentation: 0 is background). The task plan maps the labels of a dataset to
// class ids.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace lethe {

using ClassId = int64_t;

// Label of the pixels that training and evaluation ignore.
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

  // Float [count] on the CPU: element i is 1 if first + i is in the set, otherwise 0.
  at::Tensor mask(ClassId first, int64_t count) const;

  friend ClassSet operator|(const ClassSet& a, const ClassSet& b);
  friend ClassSet operator&(const ClassSet& a, const ClassSet& b);
  friend ClassSet operator-(const ClassSet& a, const ClassSet& b);
  bool operator==(const ClassSet&) const = default;

 private:
  std::vector<ClassId> ids_;  // ascending, no duplicates
};

}  // namespace lethe
