#include "lethe/method/head_distillation.h"

#include <algorithm>

#include "lethe/losses/distillation.h"
#include "lethe/method/head_columns.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

void add(at::Tensor& sum, const at::Tensor& value) { sum = sum.defined() ? sum + value : value; }

}  // namespace

void add_head_distillation(const Step& step, const at::Tensor& student, const at::Tensor& teacher,
                           const HeadDistillationOptions& options, HeadDistillation& sums) {
  for (const auto& head : step.old_heads()) {
    const HeadColumns columns(step, head);
    if (columns.empty()) continue;
    const auto scores = columns.of(student);
    const auto gone =
        columns.of(step.task().forgotten.mask(0, student.size(1)), 0).to(student.options());
    if (options.keeps) {
      const auto mask = options.keeps_forgotten ? at::ones_like(gone) : 1 - gone;
      add(sums.kept,
          masked_distillation_loss(scores, columns.of(teacher), mask, options.temperature));
    }
    if (options.lowers) {
      const double score = std::min(1.0 / static_cast<double>(scores.size(1)), options.low_score);
      add(sums.forgotten, uniform_distillation_loss(scores, gone, score, options.temperature));
    }
  }
}

}  // namespace lethe
