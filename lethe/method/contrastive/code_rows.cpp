#include "lethe/method/contrastive/code_rows.h"

#include "lethe/model/cosine_head.h"
#include "lethe/model/torch.h"

namespace lethe {

at::Tensor CodeRows::as_used(const at::Tensor& features) const {
  return options_.unit_length ? unit_rows(features) : features;
}

std::optional<StepRows> CodeRows::rows(Step& step) {
  std::vector<at::Tensor> features, classes, weights;
  const auto add = [&](const CodeBook::Draw& draw) {
    features.push_back(as_used(step.student(draw.inputs, draw.statistics).features));
    classes.push_back(draw.classes);
    weights.push_back(draw.times());
  };
  const bool images = step.task().has_images();
  if (images) {
    const auto& batch = step.batch();
    add({.inputs = batch.images, .classes = batch.labels});
    if (const auto* mixed = options_.mixed_images ? codes_->mixed(step) : nullptr)
      add({.inputs = mixed->images,
           .classes = mixed->labels,
           .weights = {},
           .statistics = mixed->statistics});
  }
  if (step.has_old()) {
    if (images && options_.kept_codes) {
      for (const auto& draw : codes_->kept(step)) add(draw);
    }
    if (options_.forgotten_codes) {
      const auto& draw = codes_->forgotten(step, options_.forgotten_mix);
      if (draw.inputs.defined()) add(draw);
    }
  }
  if (features.empty()) return std::nullopt;
  auto all = group_by_class(at::cat(features), at::cat(classes), at::cat(weights));
  const auto means = all.means();
  return StepRows{.rows = all, .classes = all.classes, .means = means};
}

ClassGroups CodeRows::rows_in(Step& step, const FeatureSpace& space) {
  auto all = rows(step).value().rows;
  all.features = space.of(all.features);
  return all;
}

std::vector<ClassGroups> CodeRows::prototype_rows(Step& step, const FeatureSpace& space,
                                                  const ClassSet& known) {
  const auto& features = step.student(step.batch().images).features;
  std::vector<ClassGroups> all;
  if (step.task().learns()) {
    const at::NoGradGuard no_grad;
    all.push_back(group_by_class(space.of(as_used(features.detach())), step.batch().labels));
  }
  if (options_.update_old && step.has_old()) {
    // All rows of the step, so that the passes keep their order.
    auto old = select(rows_in(step, space), step.task().kept & known);
    old.features = old.features.detach();
    all.push_back(std::move(old));
  }
  return all;
}

}  // namespace lethe
