// Membership: whether the outputs tell training images of a class from its test images.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lethe {

// The scores of one model for rows of one class: larger means more like a training image.
struct MemberScores {
  std::string name;
  at::Tensor members, others;  // double [n]
};

// probabilities [n, K] of training images (members) and of test images (others), over the classes
// that the model can answer. A forgotten class has no output of its own any more, so the scores
// use the most probable class instead of the true one: confidence, negative entropy, and negative
// modified entropy.
std::vector<MemberScores> member_scores(const at::Tensor& members, const at::Tensor& others);

// The confidence, in logarithms, less its mean under other models.
at::Tensor calibrated(const at::Tensor& probabilities, const std::vector<at::Tensor>& of_others);

}  // namespace lethe
