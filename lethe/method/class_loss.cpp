#include "lethe/method/class_loss.h"

#include "lethe/model/torch.h"

namespace lethe {

namespace {

// The columns of the logits that a softmax covers, and the labels as positions among them.
struct Covered {
  at::Tensor logits, labels;
};

Covered covered(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                const Head& head) {
  const auto& task = step.task();
  if (task.scenario == Scenario::kTask)
    return {logits.narrow(1, head.first, head.count), labels - head.first};
  const auto columns = at::tensor((task.kept | task.new_classes).ids(), labels.options());
  auto position = at::zeros({logits.size(1)}, labels.options());
  position.index_copy_(0, columns, at::arange(columns.size(0), labels.options()));
  return {logits.index_select(1, columns), position.index_select(0, labels)};
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

}  // namespace lethe
