#include "lethe/method/contrastive/pixel_rows.h"

#include "lethe/method/mask_step.h"
#include "lethe/model/cosine_head.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr ClassId kBackground = 0;

}  // namespace

ClassSet PixelRows::always_kept() const { return {kBackground}; }

at::Tensor PixelRows::map_of(Step& step) const {
  const auto& map = step.student(step.batch().images).features;
  return options_.unit_length ? unit_rows(map) : map;
}

std::optional<StepRows> PixelRows::rows(Step& step) {
  if (!step.task().has_images()) return std::nullopt;
  const auto map = map_of(step);
  const auto labels = pixel_labels(step, options_.pseudo_threshold);
  auto rows = group_pixels(map, labels, options_.scope);
  const auto groups =
      options_.weighting == options_.scope ? rows : group_pixels(map, labels, options_.weighting);
  const auto votes = options_.weighting == GroupScope::kBatch
                         ? groups
                         : group_by_class(groups.means(), groups.classes);
  return StepRows{.rows = std::move(rows), .classes = votes.classes, .means = votes.means()};
}

ClassGroups PixelRows::rows_in(Step& step, const FeatureSpace& space) {
  return group_pixels(space.of(map_of(step)), pixel_labels(step, options_.pseudo_threshold),
                      options_.scope);
}

std::vector<ClassGroups> PixelRows::prototype_rows(Step& step, const FeatureSpace& space,
                                                   const ClassSet& /*known*/) {
  const auto& task = step.task();
  ClassSet updated = task.new_classes;
  if (options_.update_old) updated = updated | (task.kept - always_kept());
  if (options_.update_background) updated = updated | always_kept();
  const auto map = map_of(step).detach();
  const auto labels = pixel_labels(step, options_.pseudo_threshold);
  const at::NoGradGuard no_grad;
  return {select(group_pixels(space.of(map), labels, options_.weighting), updated)};
}

}  // namespace lethe
