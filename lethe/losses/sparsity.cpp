#include "lethe/losses/sparsity.h"

#include <ATen/ATen.h>

namespace lethe {

at::Tensor sparsity_loss(const ClassGroups& groups) {
  constexpr double kTiny = 1e-15;
  const auto& features = groups.features;
  if (features.size(0) == 0) return at::zeros({}, features.options());
  const auto highest = features.detach().amax(1);
  const auto is_own =
      groups.group.unsqueeze(1) == at::arange(groups.size(), groups.group.options());
  const auto of_class = (highest.unsqueeze(1) * is_own).amax(0);
  const auto scaled = features / (of_class.index_select(0, groups.group).unsqueeze(1) + kTiny);
  return (scaled.exp().sum(1) / (scaled.sum(1) + kTiny)).mean();
}

}  // namespace lethe
