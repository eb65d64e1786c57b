#include "lethe/method/class_loss.h"

#include "lethe/method/head_columns.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// The columns of the logits that a softmax covers, and the labels as positions among them. Labels
// outside the columns have position 0; the caller ignores their losses.
struct Covered {
  at::Tensor logits, labels;
};

Covered covered(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                const Head& head) {
  const auto& task = step.task();
  const HeadColumns of_head(step, head);
  const bool one_head = task.scenario == Scenario::kTask;
  if (one_head && of_head.complete())
    return {logits.narrow(1, head.first, head.count), labels - head.first};
  const auto classes = one_head ? of_head.classes() : task.kept | task.new_classes;
  const auto columns = at::tensor(classes.ids(), labels.options());
  auto position = at::zeros({logits.size(1)}, labels.options());
  position.index_copy_(0, columns, at::arange(columns.size(0), labels.options()));
  return {logits.index_select(1, columns), position.index_select(0, labels)};
}

// The losses of a batch in an event that only forgets. Images of a forgotten class should get a
// uniform prediction: -mean ln softmax over the classes that the softmax covers.
at::Tensor kept_losses(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                       const Head& head, const AdditiveMarginOptions& options) {
  const auto over = covered(step, logits, labels, head);
  auto losses = additive_margin_losses(over.logits, over.labels, options);
  if (!step.task().on_forgotten_images) return losses;
  const auto forgotten = step.task().requested.mask(0, logits.size(1)).to(labels.device());
  const auto is_forgotten = forgotten.index_select(0, labels) != 0;
  const auto uniform = -(options.scale * over.logits).log_softmax(1).mean(1);
  return at::where(is_forgotten, uniform, losses);
}

}  // namespace

at::Tensor class_losses(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                        const Head& head, const AdditiveMarginOptions& options) {
  const auto over = covered(step, logits, labels, head);
  return additive_margin_losses(over.logits, over.labels, options);
}

at::Tensor class_loss(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                      const Head& head, const AdditiveMarginOptions& options) {
  const auto over = covered(step, logits, labels, head);
  return additive_margin_loss(over.logits, over.labels, options);
}

at::Tensor batch_loss(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                      const AdditiveMarginOptions& options) {
  const auto& task = step.task();
  if (task.learns()) return class_loss(step, logits, labels, step.current_head(), options);
  if (task.scenario == Scenario::kClass)  // no head is needed
    return kept_losses(step, logits, labels, step.heads().back(), options).mean();
  auto sum = at::zeros({}, logits.options());
  for (const auto& head : step.heads()) {
    if (HeadColumns(step, head).empty()) continue;
    const auto own = (labels >= head.first) & (labels < head.first + head.count);
    const auto safe = at::where(own, labels, at::full_like(labels, head.first));
    const auto losses = kept_losses(step, logits, safe, head, options);
    sum = sum + (losses * own.to(losses.scalar_type())).sum();
  }
  return sum / static_cast<double>(labels.size(0));
}

}  // namespace lethe
