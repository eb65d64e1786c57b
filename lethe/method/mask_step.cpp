#include "lethe/method/mask_step.h"

#include "lethe/features/pixels.h"
#include "lethe/method/head_columns.h"
#include "lethe/model/torch.h"

namespace lethe {

int64_t old_channels(const Step& step) {
  const auto& heads = step.old_heads();
  return heads.empty() ? 0 : heads.back().first + heads.back().count;
}

at::Tensor kept_channels(const Step& step, const at::Device& device) {
  return (step.task().forgotten | step.erased()).mask(0, old_channels(step)).to(device) == 0;
}

at::Tensor remaining_channels(const Step& step, const at::Tensor& all, int64_t dim) {
  return HeadColumns(step, {.first = 0, .count = all.size(dim)}).of(all, dim);
}

at::Tensor pixel_labels(Step& step, double threshold) {
  const auto& batch = step.batch();
  const auto& map = step.student(batch.images).features;
  const auto old_logits = step.has_old() ? step.old(batch.images).logits : at::Tensor();
  return pseudo_labels_at(batch.labels, old_logits, map.size(2), map.size(3), threshold);
}

}  // namespace lethe
