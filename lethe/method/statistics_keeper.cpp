#include "lethe/method/statistics_keeper.h"

#include "lethe/model/evaluation_mode.h"
#include "lethe/model/torch.h"

namespace lethe {

Fields config_fields(StatisticsOptions& o) {
  return {
      only_for(Problem::kImages,
               common({"method.statistics", &o.keep,
                       "keep mean and scatter of the features of every class: with them, "
                       "contrastive+ can forget a class without images; changes no training"}))};
}

ClassMoments measure_moments(Network& network, const Learner& learner, const ClassSet& classes) {
  const EvaluationMode mode(network);
  const at::NoGradGuard no_grad;
  auto moments = ClassStatistics::moments_of(classes);
  learner.each_batch([&](const Batch& batch) {
    moments.add(network.forward_stages(batch.images).stages, batch.labels);
  });
  return moments;
}

void StatisticsKeeper::end_task(const Task& task, Learner& learner) {
  if (!options_.keep || !task.learns() || !learner.each_batch) return;
  statistics_->store(measure_moments(learner.network, learner, task.new_classes));
}

std::vector<StateEntry> StatisticsKeeper::state_of(ClassId id) const {
  if (!statistics_->has(id)) return {};
  return {{"statistics", statistics_->bytes_of(id)}};
}

std::shared_ptr<ClassStatistics> statistics_of(SharedObjects& shared) {
  if (!shared.statistics) shared.statistics = std::make_shared<ClassStatistics>();
  return shared.statistics;
}

MethodRecipe compose_for_images(std::vector<PartRecipe> parts) {
  parts.push_back(make_part<StatisticsOptions>("statistics", [](const OptionGroups& o,
                                                                SharedObjects& shared) {
    return std::make_unique<StatisticsKeeper>(o.get<StatisticsOptions>(), statistics_of(shared));
  }));
  return compose(std::move(parts));
}

}  // namespace lethe
