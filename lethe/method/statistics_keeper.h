// The part that keeps class statistics (specification 5.16). At the end of a task it makes one more
// pass over the task's images and stores mean and scatter of the features of every new class. It
// has no loss terms and does not change training. All methods on images have this part, so that any
// run can later forget a class without images.
#pragma once

#include <memory>

#include "lethe/features/class_statistics.h"
#include "lethe/method/method.h"
#include "lethe/method/part_recipe.h"

namespace lethe {

// Key method.statistics.
struct StatisticsOptions {
  static constexpr const char* kSection = "statistics";
  bool keep = true;
};
Fields config_fields(StatisticsOptions& options);

class StatisticsKeeper : public Method {
 public:
  StatisticsKeeper(const StatisticsOptions& options, std::shared_ptr<ClassStatistics> statistics)
      : options_(options), statistics_(std::move(statistics)) {}

  LossTerms losses(Step&) override { return {}; }
  void end_task(const Task& task, Learner& learner) override;
  StateDict state() const override { return statistics_->state(); }
  void load(const StateDict& state) override { statistics_->load(state); }
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override { statistics_->purge(classes); }

 private:
  StatisticsOptions options_;
  std::shared_ptr<ClassStatistics> statistics_;
};

// Features of the learner's images of some classes, in evaluation mode as in a test. They are
// augmented as in training: later, the statistics describe features of such images.
ClassMoments measure_moments(Network& network, const Learner& learner, const ClassSet& classes);

// The statistics that the parts of a method share.
std::shared_ptr<ClassStatistics> statistics_of(SharedObjects& shared);

// A method on images: the composition of the parts and of the one that keeps class statistics. It
// is the last part: at the end of a task, other parts may update batch norm.
MethodRecipe compose_for_images(std::vector<PartRecipe> parts);

}  // namespace lethe
