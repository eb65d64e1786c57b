#include "lethe/features/class_moments.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

ClassMoments::ClassMoments(ClassSet classes, int64_t full_scatter_up_to)
    : classes_(classes.ids()), full_scatter_up_to_(full_scatter_up_to) {}

int64_t ClassMoments::row_of(ClassId id) const {
  const auto found = std::lower_bound(classes_.begin(), classes_.end(), id);
  if (found == classes_.end() || *found != id || !counts_.defined())
    throw_error<Error>("there are no sums for class {}", id);
  return found - classes_.begin();
}

void ClassMoments::start(const std::vector<at::Tensor>& stages) {
  int64_t total = 0;
  for (const auto& stage : stages) {
    widths_.push_back(stage.size(1));
    total += stage.size(1);
  }
  const auto count = static_cast<int64_t>(classes_.size());
  counts_ = at::zeros({count}, at::kDouble);
  sums_ = at::zeros({count, total}, at::kDouble);
  squares_ = at::zeros_like(sums_);
  const int64_t last = widths_.back();
  if (last <= full_scatter_up_to_) products_ = at::zeros({count, last, last}, at::kDouble);
}

void ClassMoments::add(const std::vector<at::Tensor>& stages, const at::Tensor& labels) {
  const at::NoGradGuard no_grad;
  if (stages.empty() || classes_.empty()) return;
  if (!counts_.defined()) start(stages);
  std::vector<at::Tensor> parts;
  for (size_t k = 0; k < stages.size(); ++k) {
    require_shape("features of a stage", stages[k], {labels.size(0), widths_.at(k)});
    parts.push_back(stages[k].detach().to(at::kCPU, at::kDouble));
  }
  const auto rows = at::cat(parts, 1);
  const auto own = labels.to(at::kCPU);
  for (size_t i = 0; i < classes_.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    const auto of_class = rows.index_select(0, (own == classes_[i]).nonzero().squeeze(1));
    if (of_class.size(0) == 0) continue;
    counts_[row].add_(of_class.size(0));
    sums_[row].add_(of_class.sum(0));
    squares_[row].add_(of_class.square().sum(0));
    if (!products_.defined()) continue;
    const auto last = of_class.narrow(1, rows.size(1) - widths_.back(), widths_.back());
    products_[row].add_(last.t().matmul(last));
  }
}

ClassSet ClassMoments::seen() const {
  std::vector<ClassId> some;
  for (const ClassId id : classes_) {
    if (counts_.defined() && count(id) > 0) some.push_back(id);
  }
  return ClassSet(std::move(some));
}

int64_t ClassMoments::count(ClassId id) const {
  return counts_[row_of(id)].to(at::kLong).item<int64_t>();
}

at::Tensor ClassMoments::mean(ClassId id) const { return sums_[row_of(id)] / counts_[row_of(id)]; }

at::Tensor ClassMoments::variance(ClassId id) const {
  return (squares_[row_of(id)] / counts_[row_of(id)] - mean(id).square()).clamp_min(0);
}

at::Tensor ClassMoments::scatter(ClassId id) const {
  const int64_t width = widths_.back();
  const auto last = mean(id).narrow(0, sums_.size(1) - width, width);
  return products_[row_of(id)] / counts_[row_of(id)] - at::outer(last, last);
}

}  // namespace lethe
