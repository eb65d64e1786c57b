// contrastive+ forgets a class of a small network without any image.
#include <gtest/gtest.h>

#include "lethe/core/system.h"
#include "lethe/run/experiment.h"

namespace lethe {
namespace {

// The accuracy of every class at the end of every event.
class Accuracies : public Listener {
 public:
  void on(const Evaluated& event) override {
    const auto confusion = event.evaluation.confusion.to(at::kDouble);
    events.push_back(confusion.diagonal() / confusion.sum(1).clamp_min(1));
  }
  std::vector<at::Tensor> events;
};

TEST(PlusRunTest, ARequestWithoutImagesForgetsTheClassAndKeepsTheOthers) {
  set_up_threads(0);
  RunConfig config;
  ConfigText text;
  for (const char* set :
       {"data.name=shapes", "data.train_per_class=150", "data.test_per_class=40",
        "stream.tasks=[4]", "requests=[{classes=[\"striped square\"], before_task=2}]",
        "model.width=8", "train.epochs=4", "train.batch=32", "method.name=contrastive+",
        "method.plus.images_forgotten=24", "method.plus.images_kept=16",
        "method.plus.inversion_steps=60", "method.plus.batch=32", "request.steps=100"})
    text.set(set);
  configure(config, text);
  const auto experiment = make_experiment(config);
  Accuracies accuracies;
  Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, {}), {&accuracies});

  trainer.run();

  const auto id = experiment.plan->tasks().back().requested.ids().at(0);
  const auto& before = accuracies.events.front();
  const auto& after = accuracies.events.back();
  EXPECT_GE(before[id].item<double>(), 0.6);
  EXPECT_LE(after[id].item<double>(), 0.3);  // chance is 0.25
  const auto kept = [&](const at::Tensor& all) { return (all.sum() - all[id]).item<double>() / 3; };
  EXPECT_GE(kept(after), kept(before) - 0.05);
}

}  // namespace
}  // namespace lethe
