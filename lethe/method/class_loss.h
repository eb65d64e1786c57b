// The classification loss of a step (specification 5.1). The scenario of the stream selects the
// classes of the softmax: those of one head, or all classes seen without forgotten classes. Erased
// classes are never among them.
#pragma once

#include "lethe/losses/additive_margin.h"
#include "lethe/method/step.h"

namespace lethe {

// logits [B, K] over all classes; labels int64 [B]: classes of the given head, none of them
// forgotten. One value per sample: [B]. The head must have a class that is not erased.
at::Tensor class_losses(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                        const Head& head, const AdditiveMarginOptions& options);

// Their mean.
at::Tensor class_loss(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                      const Head& head, const AdditiveMarginOptions& options);

// The mean over the samples of the batch, or over some of them: labels int64 [B]. New classes are
// in the current head. In an event that only forgets, the images show kept classes, and each class
// is compared with its own head. Images of a forgotten class (Task::on_forgotten_images) have the
// cross-entropy with a uniform target.
at::Tensor batch_loss(const Step& step, const at::Tensor& logits, const at::Tensor& labels,
                      const AdditiveMarginOptions& options);

}  // namespace lethe
