#include "lethe/trainer/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/model/segmenter.h"
#include "lethe/model/torch.h"
#include "tests/support/fake_segmentation.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;
using test::squares_training;
using test::SquareSet;
using test::ThreePasses;
using test::TinySegmenter;

// Records all notifications, and can throw after a given step to simulate a kill.
class Witness : public Listener {
 public:
  struct Stop {};
  void on(const TaskStarted& event) override { started.push_back(event.task.number); }
  void on(const StepDone& event) override {
    losses.push_back(event.loss);
    rates.push_back(event.lr);
    terms = event.terms;
    if (static_cast<int64_t>(losses.size()) == stop_after) throw Stop();
  }
  void on(const Evaluated& event) override {
    if (event.moment != Moment::kEpoch) {
      evaluations.push_back(event.evaluation);
    } else {
      ++epoch_evaluations;
    }
  }
  void on(const TaskDone& event) override { done.emplace_back(event.task.number, event.steps); }

  std::vector<int64_t> started;
  std::vector<double> losses;
  std::vector<double> rates;
  std::vector<TermValue> terms;
  std::vector<Evaluation> evaluations;
  std::vector<std::pair<int64_t, int64_t>> done;
  int epoch_evaluations = 0;
  int64_t stop_after = -1;
};

class TrainerTest : public testing::Test {
 protected:
  template <typename TheMethod>
  struct Made {
    std::shared_ptr<TinySegmenter> network = std::make_shared<TinySegmenter>(3);
    TheMethod method;
    Witness witness;
    std::unique_ptr<Trainer> trainer;
  };
  template <typename TheMethod = ThreePasses>
  std::unique_ptr<Made<TheMethod>> make(const TrainOptions& options, const fs::path& run = {},
                                        const EvalOptions& eval = {}) {
    auto made = std::make_unique<Made<TheMethod>>();
    made->trainer = std::make_unique<Trainer>(
        options, eval,
        TrainerParts{.plan = plan_,
                     .train = train_,
                     .eval = test_,
                     .augmentation = {.pad = 1, .flip = true, .rotation = 0},
                     .network = made->network,
                     .method = made->method,
                     .loader_threads = 1,
                     .run = run},
        std::vector<Listener*>{&made->witness});
    return made;
  }

  test::Scratch scratch_;
  fs::path run_ = scratch_.path();
  DatasetPtr train_ = std::make_shared<SquareSet>(36, 3);
  DatasetPtr test_ = std::make_shared<SquareSet>(12, 3);
  TaskPlan plan_{test::squares_stream(), train_->info()};
};

TEST_F(TrainerTest, TwoSegmentationTasksAndARequestOnlyEventRun) {
  auto made = make(squares_training());

  made->trainer->run();

  EXPECT_EQ(made->witness.started, (std::vector<int64_t>{1, 2, 3}));
  // 24 and 12 images in batches of 4, three epochs; then the steps of the request.
  EXPECT_EQ(made->witness.done,
            (std::vector<std::pair<int64_t, int64_t>>{{1, 18}, {2, 9}, {3, 5}}));
  EXPECT_EQ(made->method.begun, 3);
  EXPECT_EQ(made->method.ended, 3);
  EXPECT_EQ(made->network->heads().size(), 1u);
  EXPECT_EQ(made->network->num_classes(), 4);  // background and three squares in one head
  EXPECT_EQ(made->method.student_passes, 3);
  EXPECT_EQ(made->method.old_passes, 1);
  EXPECT_EQ(made->witness.terms.at(0).name, "hold");  // term of the last step
  for (const double loss : made->witness.losses) EXPECT_TRUE(std::isfinite(loss));
}

TEST_F(TrainerTest, VoidAndUnseenClassesAreNotCounted) {
  auto made = make(squares_training());

  made->trainer->run();

  const auto& first = made->witness.evaluations.at(0);
  EXPECT_EQ(first.images, 8);  // of the 12 images, those that contain square 1 or 2
  EXPECT_EQ(first.total(3), 0);
  EXPECT_EQ(first.total(1), 4 * 12);  // 3x4 pixels each
  const auto& second = made->witness.evaluations.at(1);
  EXPECT_EQ(second.images, 12);
  EXPECT_EQ(second.total(3), 4 * 12);
  // 8x8 pixels minus the 5x6 frame, which is void outside the square.
  EXPECT_EQ(second.total(0), 12 * (64 - 30));
}

TEST_F(TrainerTest, TrainingLowersTheLoss) {
  auto options = squares_training();
  options.epochs = 20;
  auto made = make(options);

  made->trainer->run();

  EXPECT_LT(made->witness.losses.at(100), 0.7 * made->witness.losses.at(0));
}

TEST_F(TrainerTest, TheSameSeedGivesTheSameBitsAndAnotherDoesNot) {
  const auto trained = [&](int64_t seed) {
    auto options = squares_training();
    options.seed = seed;
    auto made = make(options);
    made->trainer->run();
    return made->witness.losses;
  };

  EXPECT_EQ(trained(1), trained(1));
  EXPECT_NE(trained(1), trained(2));
}

TEST_F(TrainerTest, EveryEpochIsEvaluatedIfRequested) {
  auto made = make(squares_training(), {}, {.every = "epoch"});

  made->trainer->run();

  EXPECT_EQ(made->witness.evaluations.size(), 3u);
  EXPECT_EQ(made->witness.epoch_evaluations,
            2 + 2);  // in the last epoch only the task is evaluated
}

TEST_F(TrainerTest, ATaskSmallerThanABatchStillTrains) {
  auto options = squares_training();
  options.batch = 1000;
  auto made = make(options);

  made->trainer->run();

  EXPECT_EQ(made->witness.done.at(0), (std::pair<int64_t, int64_t>{1, 3}));
}

TEST_F(TrainerTest, MaxStepsEndsATask) {
  auto options = squares_training();
  options.max_steps = 7;
  auto made = make(options);

  made->trainer->run();

  EXPECT_EQ(made->witness.done.at(0).second, 7);
  EXPECT_EQ(made->witness.done.at(1).second, 7);
}

// A method whose loss is NaN from some step on.
class BlowsUp : public ThreePasses {
 public:
  LossTerms losses(Step& step) override {
    auto terms = ThreePasses::losses(step);
    if (calls == 8) terms[1].value = terms[1].value / 0.0;
    return terms;
  }
};

TEST_F(TrainerTest, ALossThatIsNotFiniteStopsTheRunNamesTheTermAndKeepsTheCheckpoint) {
  auto options = squares_training();
  options.checkpoint_steps = 5;
  BlowsUp method;
  auto network = std::make_shared<TinySegmenter>(3);
  Trainer trainer(options, {},
                  {.plan = plan_,
                   .train = train_,
                   .eval = test_,
                   .augmentation = {},
                   .network = network,
                   .method = method,
                   .run = run_},
                  {});
  try {
    trainer.run();
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("loss term 'flip'"), std::string::npos) << message;
    EXPECT_NE(message.find("step 8"), std::string::npos) << message;
    EXPECT_NE(message.find("learning rate"), std::string::npos) << message;
    EXPECT_NE(message.find("the last checkpoint is kept"), std::string::npos) << message;
  }
  EXPECT_EQ(read_checkpoint(partial_folder(run_)).state.at("position").at("task_step"), 5);
}

// A run that is interrupted and resumed writes the same bytes as an uninterrupted run.
TEST_F(TrainerTest, AResumedRunEqualsAnUninterruptedOne) {
  auto options = squares_training();
  options.checkpoint_steps = 2;
  auto whole = make(options, run_ / "whole");
  fs::create_directories(run_ / "whole");
  whole->trainer->run();
  const auto sums = read_text(version_of(run_ / "whole", 3) / "SHA256SUMS");

  // Within an epoch, at its end, at the start of a task, in the request.
  for (const int64_t stop : {1, 3, 6, 18, 19, 25, 29}) {
    const fs::path run = run_ / ("stopped" + std::to_string(stop));
    fs::create_directories(run);
    auto first = make(options, run);
    first->witness.stop_after = stop;
    EXPECT_THROW(first->trainer->run(), Witness::Stop);

    auto second = make(options, run);
    second->trainer->resume();
    second->trainer->run();

    EXPECT_EQ(read_text(version_of(run, 3) / "SHA256SUMS"), sums) << "stopped after step " << stop;
    EXPECT_EQ(read_text(version_of(run, 1) / "SHA256SUMS"),
              read_text(version_of(run_ / "whole", 1) / "SHA256SUMS"));
    EXPECT_FALSE(fs::exists(partial_folder(run)));
  }
}

// Control experiment: state that is not restored changes the result.
TEST_F(TrainerTest, ARunWhoseOptimiserIsNotRestoredDiffers) {
  auto options = squares_training();
  options.checkpoint_steps = 2;
  fs::create_directories(run_ / "whole");
  fs::create_directories(run_ / "forged");
  auto whole = make(options, run_ / "whole");
  whole->trainer->run();
  auto first = make(options, run_ / "forged");
  first->witness.stop_after = 5;
  EXPECT_THROW(first->trainer->run(), Witness::Stop);

  const auto saved = read_checkpoint(partial_folder(run_ / "forged"));
  auto momentum = saved.optimizer;
  for (auto& [name, tensor] : momentum) tensor = torch::zeros_like(tensor);
  write_checkpoint(partial_folder(run_ / "forged"), saved.model, saved.method, momentum,
                   [&](const std::string&) { return saved.state; });
  auto second = make(options, run_ / "forged");
  second->trainer->resume();
  second->trainer->run();

  EXPECT_NE(read_text(version_of(run_ / "forged", 1) / "SHA256SUMS"),
            read_text(version_of(run_ / "whole", 1) / "SHA256SUMS"));
}

// The gradients of the parts add up to that of the whole batch, because this network has no batch
// norm and the cross-entropy below is a mean over images with the same number of pixels.
class PlainMean : public ThreePasses {
 public:
  LossTerms losses(Step& step) override {
    if (!step.task().has_images()) return ThreePasses::losses(step);
    ++calls;
    return {{"square", step.student(step.batch().images).logits.square().mean()}};
  }
};

TEST_F(TrainerTest, AccumulatedPartsEqualTheWholeBatchWithoutBatchNorm) {
  const auto trained = [&](int64_t parts, int& calls) {
    auto options = squares_training();
    options.accumulate = parts;
    auto made = make<PlainMean>(options);
    made->trainer->run();
    calls = made->method.calls;
    return std::pair(named_state(*made->network), made->witness.losses);
  };
  int whole_calls = 0;
  int part_calls = 0;
  const auto [whole, losses] = trained(1, whole_calls);
  const auto [parts, part_losses] = trained(3, part_calls);  // 4 images in parts of 1, 1 and 2

  EXPECT_EQ(whole_calls, 18 + 9 + 5);
  EXPECT_EQ(part_calls, 3 * (18 + 9) + 5);
  ASSERT_EQ(losses.size(), part_losses.size());
  for (size_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(losses[i], part_losses[i], 1e-5 * (1 + std::abs(losses[i])));
  for (const auto& [name, tensor] : whole)
    EXPECT_TRUE(torch::allclose(tensor, parts.at(name), 1e-4, 1e-6)) << name;
}

// Freezes the backbone from the second task on and lets the first head learn slowly.
class Freezes : public ThreePasses {
 public:
  void begin_task(const Task& task, Learner& learner) override {
    ThreePasses::begin_task(task, learner);
    later_ = task.number > 1;
    at_start.clear();
    for (const auto& [name, tensor] : named_state(learner.network))
      at_start[name] = tensor.detach().clone();
  }
  void end_task(const Task& task, Learner& learner) override {
    ThreePasses::end_task(task, learner);
    moved.clear();
    for (const auto& [name, tensor] : named_state(learner.network))
      moved[name] = (tensor - at_start.at(name)).abs().max().item<double>();
    if (task.number != 2) return;
    EXPECT_EQ(moved.at("conv.weight"), 0);
    EXPECT_GT(moved.at("classifier1"), 0);
    EXPECT_GT(moved.at("classifier0"), 0);
    EXPECT_LT(moved.at("classifier0"), 0.05 * moved.at("classifier1"));
  }
  double lr_factor(const std::string& parameter) const override {
    if (!later_) return 1.0;
    return parameter == "conv.weight" ? 0.0 : parameter == "classifier0" ? 1e-3 : 1.0;
  }

  StateDict at_start;
  std::map<std::string, double> moved;

 private:
  bool later_ = false;
};

TEST_F(TrainerTest, AFactorOfZeroFreezesAParameterAndASmallFactorSlowsIt) {
  auto made = make<Freezes>(squares_training());

  made->trainer->run();

  EXPECT_EQ(made->method.ended, 3);
}

TEST_F(TrainerTest, RunsWithPartsAndFrozenParametersResumeToTheSameBytes) {
  auto options = squares_training();
  options.checkpoint_steps = 2;
  options.accumulate = 2;
  fs::create_directories(run_ / "whole");
  auto whole = make<Freezes>(options, run_ / "whole");
  whole->trainer->run();
  for (const int64_t stop : {3, 21, 29}) {
    const fs::path run = run_ / ("stopped" + std::to_string(stop));
    fs::create_directories(run);
    auto first = make<Freezes>(options, run);
    first->witness.stop_after = stop;
    EXPECT_THROW(first->trainer->run(), Witness::Stop);
    // The movement is measured from the resume on, so only the bytes are compared here.
    auto second = make<Freezes>(options, run);
    second->trainer->resume();
    second->trainer->run();
    EXPECT_EQ(read_text(version_of(run, 3) / "SHA256SUMS"),
              read_text(version_of(run_ / "whole", 3) / "SHA256SUMS"));
  }
}

// The real network, with everything that could depend on more than (seed, step): dropout, batch
// norm, parts of a batch. Batch norm is frozen from the second task on.
TEST_F(TrainerTest, ASegmenterLearnsAndResumesToTheSameBytes) {
  auto options = squares_training();
  options.epochs = 6;
  options.lr_next = 0.0005;  // with frozen norms, 0.005 diverges on some CPUs
  options.checkpoint_steps = 2;
  options.accumulate = 2;
  const auto trained = [&](const fs::path& run, int64_t stop_after) {
    fs::create_directories(run);
    ThreePasses method;
    Witness witness;
    witness.stop_after = stop_after;
    Trainer trainer(
        options, {},
        {.plan = plan_,
         .train = train_,
         .eval = test_,
         .augmentation = {},
         .network = std::make_shared<Segmenter>(SegmenterOptions{.backbone = {.depth = 18,
                                                                              .width = 4,
                                                                              .stem = Stem::kCifar,
                                                                              .in_channels = 1,
                                                                              .output_stride = 8},
                                                                 .head_channels = 8,
                                                                 .dropout = 0.5},
                                                1),
         .method = method,
         .run = run,
         .norm_next = {.frozen = true}},
        {&witness});
    trainer.resume();
    try {
      trainer.run();
    } catch (const Witness::Stop&) {
    }
    return witness.losses;
  };

  const auto losses = trained(run_ / "whole", -1);
  trained(run_ / "stopped", 7);
  trained(run_ / "stopped", 40);
  trained(run_ / "stopped", -1);

  // Six epochs of six steps. Single losses vary too much between CPUs.
  const auto epoch_mean = [&](int64_t epoch) {
    return std::accumulate(losses.begin() + 6 * epoch, losses.begin() + 6 * (epoch + 1), 0.0) / 6;
  };
  EXPECT_LT(epoch_mean(5), 0.9 * epoch_mean(0));
  for (const int64_t task : {1, 2, 3}) {
    EXPECT_EQ(read_text(version_of(run_ / "stopped", task) / "SHA256SUMS"),
              read_text(version_of(run_ / "whole", task) / "SHA256SUMS"));
  }
  const auto first = read_checkpoint(version_of(run_ / "whole", 1)).model;
  const auto second = read_checkpoint(version_of(run_ / "whole", 2)).model;
  EXPECT_TRUE(torch::equal(first.at("bn1.running_mean"), second.at("bn1.running_mean")));
  EXPECT_TRUE(torch::equal(first.at("aspp.project.1.weight"), second.at("aspp.project.1.weight")));
  EXPECT_FALSE(torch::equal(first.at("conv1.weight"), second.at("conv1.weight")));
}

// A method with its own settings for requests without images.
class HasSettings : public ThreePasses {
 public:
  RequestSettings request_settings() const override {
    return {.steps = 3, .lr = 0.125, .clip_norm = 1e-6};
  }
};

TEST_F(TrainerTest, ARequestWithoutImagesUsesTheSettingsOfTheMethod) {
  auto options = squares_training();
  options.request_steps.reset();
  auto made = make<HasSettings>(options);
  made->trainer->run();

  EXPECT_EQ(made->witness.done.back(), (std::pair<int64_t, int64_t>{3, 3}));
  const auto& rates = made->witness.rates;
  EXPECT_EQ(std::vector<double>(rates.end() - 3, rates.end()), std::vector<double>(3, 0.125));
  EXPECT_NE(rates.at(rates.size() - 4), 0.125);  // a task is trained as ever
}

TEST_F(TrainerTest, SettingsOfTheUserComeBeforeThoseOfTheMethod) {
  auto options = squares_training();
  options.request_steps = 2;
  options.request_lr = 0.25;
  auto made = make<HasSettings>(options);
  made->trainer->run();

  EXPECT_EQ(made->witness.done.back(), (std::pair<int64_t, int64_t>{3, 2}));
  EXPECT_EQ(made->witness.rates.back(), 0.25);
}

TEST_F(TrainerTest, WithoutAnySettingARequestHasTheDefaultNumberOfStepsAndTheRateOfTheTasks) {
  auto options = squares_training();
  options.request_steps.reset();
  auto made = make(options);
  made->trainer->run();

  EXPECT_EQ(made->witness.done.back(), (std::pair<int64_t, int64_t>{3, kDefaultRequestSteps}));
  EXPECT_LE(made->witness.rates.back(), *options.lr_next);
}

TEST_F(TrainerTest, ACompletedRunIsFinishedAfterResume) {
  auto first = make(squares_training(), run_);
  first->trainer->run();

  auto second = make(squares_training(), run_);

  EXPECT_TRUE(second->trainer->resume());
  EXPECT_TRUE(second->trainer->finished());
}

TEST_F(TrainerTest, WithoutACheckpointThereIsNothingToResume) {
  auto made = make(squares_training(), run_);

  EXPECT_FALSE(made->trainer->resume());
  EXPECT_EQ(made->trainer->position().task, 1);
}

}  // namespace
}  // namespace lethe
