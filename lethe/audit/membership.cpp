#include "lethe/audit/membership.h"

#include <ATen/ATen.h>

namespace lethe {

namespace {

constexpr double kLeast = 1e-12;

at::Tensor log_of(const at::Tensor& values) { return values.clamp_min(kLeast).log(); }

at::Tensor confidence(const at::Tensor& p) { return p.amax(1); }

at::Tensor negative_entropy(const at::Tensor& p) { return (p * log_of(p)).sum(1); }

// (1 - p_y) ln p_y + sum over the other classes of p_j ln(1 - p_j), y the most probable class.
at::Tensor negative_modified_entropy(const at::Tensor& p) {
  const auto most = p.amax(1);
  const auto terms = (p * log_of(1 - p)).sum(1);
  return (1 - most) * log_of(most) + terms - most * log_of(1 - most);
}

}  // namespace

std::vector<MemberScores> member_scores(const at::Tensor& members, const at::Tensor& others) {
  const auto p = members.to(at::kDouble);
  const auto q = others.to(at::kDouble);
  return {{"confidence", confidence(p), confidence(q)},
          {"entropy", negative_entropy(p), negative_entropy(q)},
          {"modified entropy", negative_modified_entropy(p), negative_modified_entropy(q)}};
}

at::Tensor calibrated(const at::Tensor& probabilities, const std::vector<at::Tensor>& of_others) {
  auto score = log_of(confidence(probabilities.to(at::kDouble)));
  for (const auto& other : of_others)
    score =
        score - log_of(confidence(other.to(at::kDouble))) / static_cast<double>(of_others.size());
  return score;
}

}  // namespace lethe
