#include "lethe/method/plus/erased_features.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/method/statistics_keeper.h"
#include "lethe/model/torch.h"

namespace lethe {

void ErasedFeatures::begin_task(const Task& task, Learner& learner) {
  teacher_->prepare(task, learner);
}

LossTerms ErasedFeatures::losses(Step& step) {
  if (!step.has_old() || !step.task().has_images() || !teacher_->erases() || options_.lambda_f == 0)
    return {};
  const auto& images = step.batch().images;
  const auto difference = step.student(images).features - teacher_->features(step, images);
  return {{"features", (difference.square() / teacher_->variance()).mean(), options_.lambda_f}};
}

std::vector<std::string> ErasedFeatures::remarks(const Task& task, const TaskPlan& plan) const {
  const auto unknown = task.requested - statistics_->classes();
  if (unknown.empty()) return {};
  return {fmt::format("no class statistics of {}: not erased from the features of the teacher",
                      plan.short_names(unknown))};
}

PartRecipe erased_features_part() {
  auto part = make_part<StatisticsOptions, PlusOptions>(
      "features", [](const OptionGroups& o, SharedObjects& shared) {
        const auto& options = o.get<PlusOptions>();
        const auto statistics = statistics_of(shared);
        shared.teacher = std::make_shared<ErasedTeacher>(options, statistics);
        return std::make_unique<ErasedFeatures>(options, shared.teacher, statistics);
      });
  part.set_defaults = [](const OptionGroups& o) {
    if (!o.get<StatisticsOptions>().keep)
      throw ConfigError("method.statistics = false: method 'contrastive+' needs class statistics");
  };
  part.after_first_task = true;
  return part;
}

}  // namespace lethe
