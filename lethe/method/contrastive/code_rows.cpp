#include "lethe/method/contrastive/code_contrastive.h"

#include "lethe/model/torch.h"

namespace lethe {

namespace {

// Samples of the batch, classes as they stand in the stream.
struct Rows {
  std::vector<at::Tensor> features, classes, weights;

  void add(const at::Tensor& some, const at::Tensor& of, const at::Tensor& times) {
    features.push_back(some);
    classes.push_back(of);
    weights.push_back(times);
  }
  ClassGroups group() const {
    return group_by_class(at::cat(features), at::cat(classes), at::cat(weights));
  }
};

}  // namespace

void CodeContrastive::update_prototypes(Step& step) {
  if (!step.task().has_images()) return;
  if (enters_epoch(step) && options().proto_window == "last_epoch")
    bank().erase(step.task().new_classes);
  const at::NoGradGuard no_grad;
  bank().update(group_by_class(as_used(step.student(step.batch().images).features.detach()),
                               step.batch().labels));
}

std::optional<Contrastive::Observed> CodeContrastive::observe(Step& step) {
  Rows rows;
  const auto add = [&](const CodeBook::Draw& draw) {
    rows.add(as_used(step.student(draw.inputs, draw.statistics).features), draw.classes,
             draw.times());
  };
  const bool images = step.task().has_images();
  if (images) {
    const auto& batch = step.batch();
    add({.inputs = batch.images, .classes = batch.labels});
    if (options().cls_mixed_features) add({.inputs = codes_->mixed(step), .classes = batch.labels});
  }
  if (step.has_old()) {
    if (images && needs_kept()) {
      for (const auto& draw : codes_->kept(step)) add(draw);
    }
    if (needs_forgotten()) {
      const auto& draw = codes_->forgotten(step, options().forgotten_mix);
      if (draw.inputs.defined()) add(draw);
    }
  }
  if (rows.features.empty()) return std::nullopt;
  const auto all = rows.group();
  Observed seen = {.rows = all, .classes = all.classes, .means = all.means()};
  if (images && step.has_old() && options().proto_labels_old == "pseudo") {
    auto still = select(all, step.task().kept & old_known());
    still.features = still.features.detach();
    bank().update(still);
  }
  return seen;
}

}  // namespace lethe
