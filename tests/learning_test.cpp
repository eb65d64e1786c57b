// Small problems solved with few steps: all components together learn, forget and keep.
#include <gtest/gtest.h>

#include "lethe/core/system.h"
#include "lethe/model/torch.h"
#include "lethe/record/recorder.h"
#include "lethe/run/experiment.h"

namespace lethe {
namespace {

// Stores the evaluation at the end of the last task.
class Last : public Listener {
 public:
  void on(const Evaluated& event) override { evaluation = event.evaluation; }
  Evaluation evaluation;
};

Evaluation train(const std::vector<std::string>& sets) {
  set_up_threads(0);
  RunConfig config;
  ConfigText text;
  for (const auto& assignment : sets) text.set(assignment);
  configure(config, text);
  const auto experiment = make_experiment(config);
  Last last;
  Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, {}), {&last});
  trainer.run();
  return last.evaluation;
}

double accuracy(const Evaluation& evaluation) {
  return evaluation.confusion.diagonal().sum().item<double>() /
         evaluation.confusion.sum().item<double>();
}

TEST(LearningTest, AResNetOfWidth16Reaches85To98PercentOnShapes) {
  const auto evaluation = train({"data.name=shapes", "train.epochs=4"});

  EXPECT_GE(accuracy(evaluation), 0.85);
  EXPECT_LE(accuracy(evaluation), 0.98);
}

}  // namespace
}  // namespace lethe
