#include "lethe/losses/distillation.h"

#include <ATen/ATen.h>

#include "lethe/core/tensor_check.h"

namespace lethe {

at::Tensor masked_distillation_loss(const at::Tensor& student, const at::Tensor& teacher,
                                    const at::Tensor& mask, double temperature) {
  require_shape("student", student, {kAnySize, kAnySize});
  require_shape("teacher", teacher, {student.size(0), student.size(1)});
  require_shape("mask", mask, {student.size(1)});
  const auto ln_q = at::log_softmax(mask * teacher.detach() / temperature, 1);
  const auto ln_p = at::log_softmax(mask * student / temperature, 1);
  return (ln_q.exp() * (ln_q - ln_p)).sum(1).mean();
}

at::Tensor uniform_distillation_loss(const at::Tensor& student, const at::Tensor& mask,
                                     double score, double temperature) {
  return masked_distillation_loss(student, at::full_like(student.detach(), score), mask,
                                  temperature);
}

}  // namespace lethe
