#include "lethe/method/plus/erased_teacher.h"

#include "lethe/features/class_groups.h"
#include "lethe/method/statistics_keeper.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// Added to the variances: a feature that hardly varies must not dominate the feature term.
constexpr double kSmallestVariance = 1e-3;

}  // namespace

void ErasedTeacher::clear() {
  erasure_ = Erasure();
  variance_ = at::Tensor();
}

void ErasedTeacher::prepare(const Task& task, const Learner& learner) {
  clear();
  const auto known = statistics_->classes();
  if (!options_.erase || learner.old == nullptr || (known & task.forgotten).empty()) return;
  const int64_t last = statistics_->stages() - 1;
  auto means = statistics_->means(last, known);
  auto within = statistics_->covariance();
  auto ids = known.ids();
  if (task.learns() && learner.each_batch) {
    ClassStatistics own;  // of the new classes, as the old model sees them
    own.store(measure_moments(*learner.old, learner, task.new_classes));
    if (!own.empty()) {
      const auto classes = own.classes();
      means = at::cat({means, own.means(last, classes)});
      within = (within + own.covariance()) / 2;
      ids.insert(ids.end(), classes.begin(), classes.end());
    }
  }
  const auto forgotten = is_in(at::tensor(ids, at::kLong), task.forgotten);
  erasure_ =
      Erasure({.means = means, .within = within, .forgotten = forgotten, .ridge = options_.ridge});
  variance_ = (within.diagonal() + kSmallestVariance).to(learner.network.device(), at::kFloat);
}

at::Tensor ErasedTeacher::features(Step& step, const at::Tensor& images) const {
  const at::NoGradGuard no_grad;
  return erased(step.old(images).features);
}

at::Tensor ErasedTeacher::logits(Step& step, const at::Tensor& images) const {
  return erases() ? step.old_logits_of(features(step, images)) : step.old(images).logits;
}

}  // namespace lethe
