#include "lethe/core/class_set.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace lethe {

ClassSet::ClassSet(std::initializer_list<ClassId> ids) : ClassSet(std::vector<ClassId>(ids)) {}

ClassSet::ClassSet(std::vector<ClassId> ids) : ids_(std::move(ids)) {
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

ClassSet ClassSet::range(ClassId first, int64_t count) {
  std::vector<ClassId> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), first);
  return ClassSet(std::move(ids));
}

bool ClassSet::contains(ClassId id) const {
  return std::binary_search(ids_.begin(), ids_.end(), id);
}

at::Tensor ClassSet::mask(ClassId first, int64_t count) const {
  auto result = at::zeros({count}, at::kFloat);
  for (const ClassId id : ids_) {
    if (id >= first && id < first + count) result[id - first].fill_(1);
  }
  return result;
}

ClassSet operator|(const ClassSet& a, const ClassSet& b) {
  ClassSet result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result.ids_));
  return result;
}

ClassSet operator&(const ClassSet& a, const ClassSet& b) {
  ClassSet result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result.ids_));
  return result;
}

ClassSet operator-(const ClassSet& a, const ClassSet& b) {
  ClassSet result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result.ids_));
  return result;
}

}  // namespace lethe
