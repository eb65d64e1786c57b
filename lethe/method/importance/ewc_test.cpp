#include "lethe/method/importance/ewc.h"

#include <gtest/gtest.h>

#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

class EwcTest : public test::FakeStream {
 protected:
  // The importances after task 1 with these images.
  StateDict after_first(const std::vector<Batch>& batches, OldClasses classes,
                        const EwcOptions& options = {}) {
    Ewc ewc(options, classes);
    auto at_hand = learner(batches);
    ewc.begin_task(plan_.task(1), at_hand);
    ewc.end_task(plan_.task(1), at_hand);
    return ewc.state();
  }
};

TEST_F(EwcTest, TV4ThroughTheNetworkEqualsTheGradientsOfTheLoss) {
  const auto batch = batch_of({0, 1, 1});
  const auto state = after_first({batch}, OldClasses::kAll);

  const auto loss = at::cross_entropy_loss(network_->forward(batch.images).logits, batch.labels);
  loss.backward();
  const auto gradient = network_->named_parameters()["trunk"].grad();

  EXPECT_TRUE(torch::allclose(state.at("importance.trunk"), gradient.square(), 1e-4, 1e-8));
}

TEST_F(EwcTest, PerSampleIsTheMeanOfSquaredGradientsOfSingleSamples) {
  const auto batch = batch_of({0, 1});
  const auto state = after_first({batch}, OldClasses::kAll, {.fisher = Fisher::kPerSample});

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

  EXPECT_TRUE(after_first({one}, OldClasses::kKept)
                  .at("importance.trunk")
                  .equal(after_first({two}, OldClasses::kKept).at("importance.trunk")));
  EXPECT_FALSE(after_first({one}, OldClasses::kAll)
                   .at("importance.trunk")
                   .equal(after_first({two}, OldClasses::kAll).at("importance.trunk")));
}

TEST_F(EwcTest, WithNothingForgottenTheStarChangesNothing) {
  auto options = make_stream();
  options.requests.clear();
  const TaskPlan plan(options, info_);
  const auto batch = batch_of({0, 1, 1});
  const auto state = [&](OldClasses classes) {
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

  EXPECT_TRUE(state(OldClasses::kAll).equal(state(OldClasses::kKept)));
}

TEST_F(EwcTest, ThePenaltyIsZeroAtTheAnchorAndGrowsAway) {
  Ewc ewc({}, OldClasses::kKept);
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

TEST_F(EwcTest, TheLargestCurvatureIsLambdaTimesTheLargestImportance) {
  Ewc ewc({.lambda = 7}, OldClasses::kAll);
  auto at_hand = learner({batch_of({0, 1, 1})});
  ewc.begin_task(plan_.task(1), at_hand);
  EXPECT_EQ(ewc.steepest(), 0);
  ewc.end_task(plan_.task(1), at_hand);

  ewc.begin_task(plan_.task(2), at_hand);

  double largest = 0;
  for (const auto& [name, tensor] : ewc.state()) {
    if (name.starts_with("importance.")) largest = std::max(largest, tensor.max().item<double>());
  }
  EXPECT_GT(largest, 0);
  EXPECT_NEAR(ewc.steepest(), 7 * largest, 1e-9);
}

TEST_F(EwcTest, TrunkImportancesAreAveragedOverTasksAndAHeadKeepsItsOwn) {
  Ewc ewc({}, OldClasses::kAll);
  auto first = learner({batch_of({0, 1, 1})});
  ewc.end_task(plan_.task(1), first);
  const auto one = ewc.state();
  next_task();
  const auto batch = batch_of({2, 3, 3});
  auto second = learner({batch});
  ewc.begin_task(plan_.task(2), second);
  ewc.end_task(plan_.task(2), second);
  const auto both = ewc.state();

  Ewc fresh({}, OldClasses::kAll);
  fresh.end_task(plan_.task(2), second);

  EXPECT_TRUE(torch::allclose(
      both.at("importance.trunk"),
      0.5 * one.at("importance.trunk") + 0.5 * fresh.state().at("importance.trunk")));
  EXPECT_TRUE(both.at("importance.head0").equal(one.at("importance.head0")));
  EXPECT_TRUE(both.at("anchor.head0").equal(one.at("anchor.head0")));
  // A head that the task does not use has importance 0.
  EXPECT_EQ(fresh.state().at("importance.head0").abs().max().item<float>(), 0);
}

TEST_F(EwcTest, PurgingAMeasuredClassErasesAllImportances) {
  Ewc ewc({}, OldClasses::kKept);
  auto at_hand = learner({batch_of({0, 1, 1})});
  ewc.end_task(plan_.task(1), at_hand);
  // 'a' was requested, so it was not measured.
  ASSERT_EQ(ewc.state_of(0).size(), 1u);
  EXPECT_EQ(ewc.state_of(0).front().name, "anchors of its classifier rows");
  EXPECT_EQ(ewc.state_of(1).size(), 2u);

  Ewc restored({}, OldClasses::kKept);
  restored.load(ewc.state());
  restored.purge(ClassSet{0});
  EXPECT_TRUE(restored.state_of(0).empty());
  EXPECT_EQ(restored.state().at("anchor.head0")[0].abs().max().item<float>(), 0);
  EXPECT_TRUE(restored.state().at("anchor.trunk").equal(ewc.state().at("anchor.trunk")));
  EXPECT_TRUE(restored.state().at("anchor.head0")[1].equal(ewc.state().at("anchor.head0")[1]));
  restored.purge(ClassSet{1});

  EXPECT_TRUE(restored.state_of(1).empty());
  EXPECT_TRUE(restored.state().empty());
}

TEST_F(EwcTest, AnErasedClassHasNoPenalty) {
  Ewc ewc({}, OldClasses::kKept);
  auto at_hand = learner({batch_of({0, 1, 1})});
  ewc.end_task(plan_.task(1), at_hand);
  network_->erase({0});
  ewc.purge({0});
  ewc.begin_task(plan_.task(2), at_hand);
  const auto batch = batch_of({2, 3});
  auto now = step(1, batch);

  EXPECT_EQ(ewc.losses(now).at(0).value.item<float>(), 0);
}

TEST_F(EwcTest, AfterAnEventThatOnlyForgetsTheBackboneIsNotPulledBack) {
  Ewc ewc({}, OldClasses::kKept);
  auto first = learner({batch_of({0, 1, 1})});
  ewc.end_task(plan_.task(1), first);
  const auto before = ewc.state().at("importance.trunk").clone();
  next_task();
  auto request = learner();
  ewc.begin_task(plan_.task(3), request);

  ewc.end_task(plan_.task(3), request);

  EXPECT_TRUE(ewc.state().at("anchor.trunk").equal(network_->named_parameters()["trunk"]));
  EXPECT_TRUE(ewc.state().at("importance.trunk").equal(before));
}

TEST_F(EwcTest, ForgottenClassesCountWithTheirWeight) {
  const auto batch = batch_of({0, 1, 1});
  const auto kept = after_first({batch}, OldClasses::kKept).at("importance.trunk");
  const auto plus = after_first({batch}, OldClasses::kKept, {.forgotten_weight = 1});
  const auto minus = after_first({batch}, OldClasses::kKept, {.forgotten_weight = -1});

  const auto forgotten = plus.at("importance.trunk") - kept;
  EXPECT_GT(forgotten.max().item<float>(), 0);
  EXPECT_TRUE(
      torch::allclose(minus.at("importance.trunk"), (kept - forgotten).clamp_min(0), 1e-4, 1e-8));
  EXPECT_EQ(plus.at("classes").size(0), 2);  // 'a' was measured as well
}

TEST_F(EwcTest, PerClassImportancesHaveTheSameMean) {
  const auto batch = batch_of({0, 1, 1});
  const auto merged = after_first({batch}, OldClasses::kAll, {.fisher = Fisher::kPerSample});
  const auto parted =
      after_first({batch}, OldClasses::kAll, {.fisher = Fisher::kPerSample, .per_class = true});

  EXPECT_TRUE(
      torch::allclose(merged.at("importance.trunk"), parted.at("importance.trunk"), 1e-4, 1e-9));
}

TEST_F(EwcTest, WithPerClassImportancesALateRequestRemovesItsClass) {
  // 'b' of the first task is requested only before the third.
  auto stream = make_stream();
  stream.requests = {{.classes = {"b"}, .before_task = 3}};
  const TaskPlan plan(stream, info_);
  const auto learner_of = [&](const Batch& batch) {
    return Learner{.network = *network_,
                   .old = nullptr,
                   .plan = plan,
                   .seed = 5,
                   .info = &info_,
                   .each_batch = [&](const auto& visit) { visit(batch); }};
  };
  const EwcOptions options = {.fisher = Fisher::kPerSample, .per_class = true};
  Ewc ewc(options, OldClasses::kKept);
  Ewc merged({}, OldClasses::kKept);
  const auto first = batch_of({0, 1, 1});
  auto one = learner_of(first);
  ewc.end_task(plan.task(1), one);
  merged.end_task(plan.task(1), one);
  EXPECT_FALSE(ewc.state_of(1).empty());
  next_task();
  const auto second = batch_of({2, 3});
  auto two = learner_of(second);
  ewc.end_task(plan.task(2), two);
  merged.end_task(plan.task(2), two);

  Ewc restored(options, OldClasses::kKept);
  restored.load(ewc.state());
  restored.begin_task(plan.task(3), two);
  merged.begin_task(plan.task(3), two);

  // Without 'b': the importance of 'a' in the first task, averaged with the second task.
  const auto of = [&](const char* name) { return ewc.state().at(name); };
  const auto without =
      0.5 * of("class.0.trunk") + 0.5 * (of("class.2.trunk") + of("class.3.trunk")) / 2;
  EXPECT_TRUE(torch::allclose(restored.state().at("importance.trunk"), without, 1e-4, 1e-9));
  EXPECT_TRUE(restored.remarks(plan.task(3), plan).empty());
  ASSERT_EQ(merged.remarks(plan.task(3), plan).size(), 1u);
  EXPECT_NE(merged.remarks(plan.task(3), plan).front().find("'b'"), std::string::npos);

  restored.purge(ClassSet{1});
  EXPECT_TRUE(restored.state_of(1).empty());
  EXPECT_FALSE(restored.state_of(0).empty());
  EXPECT_TRUE(torch::allclose(restored.state().at("importance.trunk"), without, 1e-4, 1e-9));
}

}  // namespace
}  // namespace lethe
