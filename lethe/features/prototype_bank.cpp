#include "lethe/features/prototype_bank.h"

#include <ATen/ATen.h>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

// The sums of one batch per class, before any division: several processes could add theirs.
struct BatchSums {
  at::Tensor classes;  // int64 [P]
  at::Tensor sums;     // [P, D]
  at::Tensor counts;   // [P] rows, or images
};

BatchSums batch_sums(const ClassGroups& groups) {
  if (!groups.images.defined()) return {groups.classes, groups.sums(), groups.counts};
  // Per image: the mean of an image's rows is one vote. Only images that contain the class vote.
  const auto votes = group_by_class(groups.means(), groups.classes);
  return {votes.classes, votes.sums(), votes.counts};
}

}  // namespace

void PrototypeBank::grow(int64_t classes, const at::Tensor& like) {
  const int64_t had = mean_.defined() ? mean_.size(0) : 0;
  if (had >= classes) return;
  const auto mean = at::zeros({classes, like.size(1)}, like.options());
  const auto count = at::zeros({classes}, like.options().dtype(at::kLong));
  if (had > 0) {
    mean.narrow(0, 0, had).copy_(mean_);
    count.narrow(0, 0, had).copy_(count_);
  }
  mean_ = mean;
  count_ = count;
}

void PrototypeBank::update(const ClassGroups& groups) {
  const at::NoGradGuard no_grad;
  if (groups.size() == 0) return;
  const auto batch = batch_sums(groups);
  grow(batch.classes.max().item<int64_t>() + 1, groups.features);
  const auto before = count_.index_select(0, batch.classes);
  const auto old = mean_.index_select(0, batch.classes);
  const auto rows = batch.counts.round().to(at::kLong);
  const auto n = before.to(old.scalar_type()).unsqueeze(1);
  const auto m = batch.counts.to(old.scalar_type()).unsqueeze(1);
  at::Tensor now;
  at::Tensor count;
  switch (options_.update) {
    case PrototypeUpdate::kPixelCount:
      now = (n * old + batch.sums) / (n + m);
      count = before + rows;
      break;
    case PrototypeUpdate::kIteration:
      now = (n * old + batch.sums / m) / (n + 1);
      count = before + 1;
      break;
    case PrototypeUpdate::kEma: {
      const auto share = at::where(n > 0, at::full_like(n, options_.momentum), at::zeros_like(n));
      now = share * old + (1 - share) * batch.sums / m;
      count = before + 1;
      break;
    }
  }
  mean_.index_copy_(0, batch.classes, now);
  count_.index_copy_(0, batch.classes, count);
}

at::Tensor PrototypeBank::known(const at::Tensor& classes) const {
  if (!mean_.defined()) return at::zeros_like(classes, at::kBool);
  const auto inside = classes < mean_.size(0);
  const auto safe = at::where(inside, classes, at::zeros_like(classes));
  return inside & (count_.index_select(0, safe) > 0);
}

at::Tensor PrototypeBank::of(const at::Tensor& classes) const {
  if (!mean_.defined()) throw Error("there is no prototype yet");
  const auto is_known = known(classes);
  const auto safe = at::where(is_known, classes, at::zeros_like(classes));
  return mean_.index_select(0, safe) * is_known.unsqueeze(1).to(mean_.scalar_type());
}

bool PrototypeBank::has(ClassId id) const {
  return mean_.defined() && id < mean_.size(0) && count_[id].item<int64_t>() > 0;
}

ClassSet PrototypeBank::classes() const {
  std::vector<ClassId> ids;
  for (ClassId id = 0; mean_.defined() && id < mean_.size(0); ++id) {
    if (has(id)) ids.push_back(id);
  }
  return ClassSet(std::move(ids));
}

void PrototypeBank::erase(const ClassSet& classes) {
  for (const ClassId id : classes) {
    if (!mean_.defined() || id >= mean_.size(0)) continue;
    mean_[id].zero_();
    count_[id].zero_();
  }
}

void PrototypeBank::to(const at::Device& device) {
  if (!mean_.defined()) return;
  mean_ = mean_.to(device);
  count_ = count_.to(device);
}

int64_t PrototypeBank::bytes_of(ClassId id) const {
  return has(id) ? mean_.size(1) * mean_.element_size() + count_.element_size() : 0;
}

StateDict PrototypeBank::state() const {
  if (!mean_.defined()) return {};
  return {{"mean", mean_}, {"count", count_}};
}

void PrototypeBank::load(const StateDict& state) {
  mean_ = count_ = at::Tensor();
  const auto mean = state.find("mean");
  const auto count = state.find("count");
  if (mean == state.end() || count == state.end()) return;
  require_shape("prototypes", mean->second, {kAnySize, kAnySize});
  require_shape("prototype counts", count->second, {mean->second.size(0)});
  mean_ = mean->second.clone();
  count_ = count->second.clone();
}

}  // namespace lethe
