#include "lethe/method/contrastive/statistic_rows.h"

#include "lethe/model/cosine_head.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// The probability of each forgotten class among the old classes: [B, F].
struct Likeness {
  std::vector<ClassId> classes;
  at::Tensor probabilities;
};

Likeness likeness(Step& step, double scale) {
  const auto& task = step.task();
  const auto forgotten = task.forgotten - step.erased();
  if (!step.has_old() || forgotten.empty()) return {};
  const auto& logits = step.old(step.batch().images).logits;
  const auto old = (task.kept | task.forgotten) - step.erased();
  const auto ids = at::tensor(old.ids(), at::TensorOptions(at::kLong).device(logits.device()));
  const auto all = (scale * logits.index_select(1, ids)).softmax(1);
  const auto own = is_in(ids, forgotten).nonzero().squeeze(1);
  return {.classes = forgotten.ids(), .probabilities = all.index_select(1, own)};
}

}  // namespace

at::Tensor StatisticRows::as_used(const at::Tensor& features) const {
  return options_.unit_length ? unit_rows(features) : features;
}

std::optional<StepRows> StatisticRows::rows(Step& step) {
  if (!step.task().has_images()) return std::nullopt;
  const auto& batch = step.batch();
  const auto own = as_used(step.student(batch.images).features);
  const auto images = group_by_class(own, batch.labels);
  std::vector<at::Tensor> features = {own};
  std::vector<at::Tensor> classes = {batch.labels};
  std::vector<at::Tensor> weights = {at::ones({own.size(0)}, own.options())};
  const auto like = likeness(step, options_.scale);
  for (size_t i = 0; i < like.classes.size(); ++i) {
    features.push_back(own);
    classes.push_back(at::full_like(batch.labels, like.classes[i]));
    // A probability of 0 for every image would leave the group without weight.
    weights.push_back(like.probabilities.select(1, static_cast<int64_t>(i)).clamp_min(1e-12));
  }
  return StepRows{.rows = group_by_class(at::cat(features), at::cat(classes), at::cat(weights)),
                  .classes = images.classes,
                  .means = images.means()};
}

ClassGroups StatisticRows::rows_in(Step& step, const FeatureSpace& space) {
  auto all = rows(step).value().rows;
  all.features = space.of(all.features);
  return all;
}

std::vector<ClassGroups> StatisticRows::prototype_rows(Step& step, const FeatureSpace& space,
                                                       const ClassSet& /*known*/) {
  if (!step.task().learns()) return {};
  const auto& features = step.student(step.batch().images).features;
  const at::NoGradGuard no_grad;
  return {group_by_class(space.of(as_used(features.detach())), step.batch().labels)};
}

}  // namespace lethe
