#include "lethe/method/ewc.h"

#include <gtest/gtest.h>

#include "lethe/method/fake_stream.h"

namespace lethe {
namespace {

at::Tensor vector(const std::vector<double>& values) {
  return torch::tensor(values, torch::kDouble);
}

TEST(EwcPenaltyTest, TV3ValueAndGradient) {
  const double lambda = 100;
  auto parameter = vector({1, -2, 0.5}).requires_grad_();
  const auto penalty =
      lambda * importance_penalty(parameter, vector({0.8, -1.5, 0.5}), vector({2, 0.1, 3}));
  penalty.backward();

  EXPECT_NEAR(penalty.item<double>(), 5.25, 1e-9);
  EXPECT_TRUE(torch::allclose(parameter.grad(), vector({40, -5, 0})));
}

TEST(FisherSumTest, TV4BatchMeanAndPerSample) {
  const std::vector<NamedTensor> parameters = {{"w", torch::zeros({2, 2}, torch::kDouble)}};
  const auto first = torch::tensor({{-0.689974, -1.379949}, {0.689974, 1.379949}}, torch::kDouble);
  const auto second = torch::tensor({{2.574447, -0.858149}, {-2.574447, 0.858149}}, torch::kDouble);
  FisherSum per_sample, batch_mean;

  per_sample.add(parameters, {first}, 1);
  per_sample.add(parameters, {second}, 1);
  batch_mean.add(parameters, {(first + second) / 2}, 2);

  const auto rows = [](double x, double y) {
    return torch::tensor({{x, y}, {x, y}}, torch::kDouble);
  };
  EXPECT_TRUE(torch::allclose(per_sample.mean().at("w"), rows(3.551921, 1.320339), 1e-5));
  EXPECT_TRUE(torch::allclose(batch_mean.mean().at("w"), rows(0.887809, 1.252271), 1e-5));
}

class EwcTest : public test::FakeStream {
 protected:
  // The importances after task 1 whose pass gives these images.
  StateDict after_first(const std::vector<Batch>& batches, ImportantClasses classes,
                        const std::string& fisher = "batch_mean") {
    Ewc ewc({.fisher = fisher}, classes);
    auto at_hand = learner(batches);
    ewc.begin_task(plan_.task(1), at_hand);
    ewc.end_task(plan_.task(1), at_hand);
    return ewc.state();
  }
};

TEST_F(EwcTest, TV4ThroughTheNetworkEqualsTheGradientsOfTheLoss) {
  const auto batch = batch_of({0, 1, 1});
  const auto state = after_first({batch}, ImportantClasses::kAll);

  const auto loss = at::cross_entropy_loss(network_->forward(batch.images).logits, batch.labels);
  loss.backward();
  const auto gradient = network_->named_parameters()["trunk"].grad();

  EXPECT_TRUE(torch::allclose(state.at("importance.trunk"), gradient.square(), 1e-4, 1e-8));
}

TEST_F(EwcTest, PerSampleIsTheMeanOfSquaredGradientsOfSingleSamples) {
  const auto batch = batch_of({0, 1});
  const auto state = after_first({batch}, ImportantClasses::kAll, "per_sample");

  auto expected = torch::zeros_like(network_->named_parameters()["head0"]);
  for (int64_t i = 0; i < 2; ++i) {
    network_->zero_grad();
    at::cross_entropy_loss(network_->forward(batch.images.narrow(0, i, 1)).logits,
                           batch.labels.narrow(0, i, 1))
        .backward();
    expected += network_->named_parameters()["head0"].grad().square() / 2;
  }

  EXPECT_TRUE(torch::allclose(state.at("importance.head0"), expected, 1e-4, 1e-8));
}

TEST_F(EwcTest, TheStarDoesNotDependOnImagesOfForgottenClasses) {
  auto one = batch_of({0, 1, 1, 0});
  Batch two = {.images = one.images.clone(), .labels = one.labels};
  two.images[0] += 3;  // of 'a', which is requested before task 2

  EXPECT_TRUE(after_first({one}, ImportantClasses::kKept)
                  .at("importance.trunk")
                  .equal(after_first({two}, ImportantClasses::kKept).at("importance.trunk")));
  EXPECT_FALSE(after_first({one}, ImportantClasses::kAll)
                   .at("importance.trunk")
                   .equal(after_first({two}, ImportantClasses::kAll).at("importance.trunk")));
}

TEST_F(EwcTest, WithNothingForgottenTheStarChangesNothing) {
  auto options = make_stream();
  options.requests.clear();
  const TaskPlan plan(options, info_);
  const auto batch = batch_of({0, 1, 1});
  const auto state = [&](ImportantClasses classes) {
    Ewc ewc({}, classes);
    Learner at_hand = {.network = *network_,
                       .old = nullptr,
                       .plan = plan,
                       .seed = 5,
                       .info = &info_,
                       .each_batch = [&](const auto& visit) { visit(batch); }};
    ewc.end_task(plan.task(1), at_hand);
    return ewc.state().at("importance.trunk");
  };

  EXPECT_TRUE(state(ImportantClasses::kAll).equal(state(ImportantClasses::kKept)));
}

TEST_F(EwcTest, ThePenaltyIsZeroAtTheAnchorAndGrowsAway) {
  Ewc ewc({}, ImportantClasses::kKept);
  auto at_hand = learner({batch_of({0, 1, 1})});
  ewc.end_task(plan_.task(1), at_hand);
  ewc.begin_task(plan_.task(2), at_hand);
  const auto batch = batch_of({2, 3});
  auto here = step(1, batch);
  EXPECT_EQ(ewc.losses(here).at(0).value.item<float>(), 0);
  EXPECT_EQ(ewc.losses(here).at(0).weight, 100);

  next_task();

  EXPECT_GT(ewc.losses(here).at(0).value.item<float>(), 0);
}

TEST_F(EwcTest, TrunkImportancesAreAveragedOverTasksAndAHeadKeepsItsOwn) {
  Ewc ewc({}, ImportantClasses::kAll);
  auto first = learner({batch_of({0, 1, 1})});
  ewc.end_task(plan_.task(1), first);
  const auto one = ewc.state();
  next_task();
  const auto batch = batch_of({2, 3, 3});
  auto second = learner({batch});
  ewc.begin_task(plan_.task(2), second);
  ewc.end_task(plan_.task(2), second);
  const auto both = ewc.state();

  Ewc fresh({}, ImportantClasses::kAll);
  fresh.end_task(plan_.task(2), second);

  EXPECT_TRUE(torch::allclose(
      both.at("importance.trunk"),
      0.5 * one.at("importance.trunk") + 0.5 * fresh.state().at("importance.trunk")));
  EXPECT_TRUE(both.at("importance.head0").equal(one.at("importance.head0")));
  EXPECT_TRUE(both.at("anchor.head0").equal(one.at("anchor.head0")));
  // A head that the task did not use is of no importance to it.
  EXPECT_EQ(fresh.state().at("importance.head0").abs().max().item<float>(), 0);
}

TEST_F(EwcTest, PurgingAClassThatTookPartDropsAllImportances) {
  Ewc ewc({}, ImportantClasses::kKept);
  auto at_hand = learner({batch_of({0, 1, 1})});
  ewc.end_task(plan_.task(1), at_hand);
  EXPECT_TRUE(ewc.state_of(0).empty());  // requested: it took no part
  EXPECT_FALSE(ewc.state_of(1).empty());

  Ewc restored({}, ImportantClasses::kKept);
  restored.load(ewc.state());
  restored.purge(ClassSet{0});
  EXPECT_FALSE(restored.state().empty());
  restored.purge(ClassSet{1});

  EXPECT_TRUE(restored.state_of(1).empty());
  EXPECT_TRUE(restored.state().empty());
}

}  // namespace
}  // namespace lethe
