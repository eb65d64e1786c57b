#include "lethe/method/codes/codes.h"

#include <gtest/gtest.h>

#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

class CodesTest : public test::FakeStream {
 protected:
  CodeBook book(const CodeSettings& settings = {}) {
    CodeBook made(settings);
    auto at_hand = learner();
    made.begin_task(plan_.task(1), at_hand);
    made.begin_task(plan_.task(2), at_hand);
    return made;
  }
};

TEST(MixTest, TV14LambdaTimesImagePlusTheRestOfTheCode) {
  const auto x = torch::tensor({{0.2, -1.0}}, torch::kDouble);
  const auto code = torch::tensor({{1.0, 0.5}}, torch::kDouble);
  const auto with = [&](double lambda) {
    return mix(x, code, torch::tensor(std::vector<double>{lambda}, torch::kDouble));
  };

  EXPECT_TRUE(torch::allclose(with(0.3), torch::tensor({{0.76, 0.05}}, torch::kDouble), 1e-12));
  EXPECT_TRUE(with(1).equal(x));
  EXPECT_TRUE(with(0).equal(code));
}

TEST_F(CodesTest, ACodeIsMadeOfBlocksOfOneValueAndDiffersByClass) {
  const auto codes = book().images_of({0, 1});

  ASSERT_EQ(codes.sizes(), (std::vector<int64_t>{2, 3, 16, 16}));
  // 8 blocks per side, 2x2 pixels each.
  const auto blocks = codes.reshape({2, 3, 8, 2, 8, 2});
  EXPECT_EQ((blocks - blocks.slice(3, 0, 1).slice(5, 0, 1)).abs().max().item<float>(), 0);
  EXPECT_GT((codes[0] - codes[1]).abs().max().item<float>(), 0.5);
  // Eight bits of uniform noise, normalised with mean 0.5 and standard deviation 0.25.
  const auto values = codes * 0.25 + 0.5;
  EXPECT_GE(values.min().item<float>(), -1e-6);
  EXPECT_LE(values.max().item<float>(), 1 + 1e-6);
  EXPECT_LT((values * 255 - (values * 255).round()).abs().max().item<float>(), 1e-3);
}

TEST_F(CodesTest, AreTheSameForTheSameSeedAndSurviveARestart) {
  const auto one = book();
  const auto two = book();
  EXPECT_TRUE(one.images_of({0, 3}).equal(two.images_of({0, 3})));

  CodeBook restored({});
  auto at_hand = learner();
  restored.begin_task(plan_.task(1), at_hand);
  restored.load(one.state());
  EXPECT_TRUE(restored.images_of({3}).equal(one.images_of({3})));
}

TEST_F(CodesTest, WithARandomSaltTheSeedDoesNotGiveTheCodesAgain) {
  auto first = book({.salt = CodeSalt::kRandom});
  const auto second = book({.salt = CodeSalt::kRandom});
  EXPECT_FALSE(first.images_of({0}).equal(second.images_of({0})));

  auto restarted = book({.salt = CodeSalt::kRandom});
  restarted.load(first.state());
  EXPECT_TRUE(restarted.images_of({0, 3}).equal(first.images_of({0, 3})));
}

TEST_F(CodesTest, TheScaleAppliesBeforeOrAfterNormalisation) {
  const auto plain = book().images_of({0});

  EXPECT_TRUE(torch::allclose(
      book({.scale = 0.1, .scale_stage = ScaleStage::kAfterNormalisation}).images_of({0}),
      0.1 * plain, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(book({.scale = 0.1}).images_of({0}),
                              (0.1 * (plain * 0.25 + 0.5) - 0.5) / 0.25, 1e-5, 1e-5));
}

TEST(CodeOptionsTest, TheScaleIsTheReferencesForItsDatasets) {
  const auto resolved = [](const char* name) {
    CodeOptions options;
    options.resolve({.name = name, .height = 224, .width = 224});
    return options;
  };
  EXPECT_EQ(resolved("cub200").scale, 0.1);
  EXPECT_EQ(resolved("cub200").scale_stage, ScaleStage::kAfterNormalisation);
  EXPECT_EQ(resolved("cars").scale, 0.1);
  EXPECT_EQ(resolved("cars").scale_stage, ScaleStage::kBeforeNormalisation);
  EXPECT_EQ(resolved("cifar100").scale, 1.0);
  EXPECT_EQ(resolved("cifar100").grid, 14);
}

TEST(CodeOptionsTest, ACodeMayNotHaveMoreBlocksThanTheImageHasPixels) {
  DatasetInfo info;
  info.height = info.width = 16;
  CodeOptions fits{.grid = 16};
  EXPECT_NO_THROW(fits.resolve(info));
  CodeOptions wide{.grid = 17};
  EXPECT_THROW(wide.resolve(info), ConfigError);
}

TEST_F(CodesTest, MixedImagesLieBetweenTheImageAndTheCodeOfItsClass) {
  next_task();
  auto codes = book();
  const auto batch = batch_of({2, 3, 2, 3, 2});
  auto now = step(2, batch);

  const auto mixed = codes.mixed(now)->images;

  EXPECT_TRUE(codes.mixed(now)->images.is_same(mixed));  // made once in a step
  const auto to_code = (mixed - codes.images_of({2, 3, 2, 3, 2})).flatten(1).norm(2, 1);
  const auto whole = (batch.images - codes.images_of({2, 3, 2, 3, 2})).flatten(1).norm(2, 1);
  const auto lambda = to_code / whole;
  EXPECT_GT((lambda.max() - lambda.min()).item<float>(), 0.1);  // drawn per sample
  EXPECT_LE(lambda.max().item<float>(), 1.0);
  auto later = step(2, batch, 1);
  EXPECT_FALSE(codes.mixed(later)->images.equal(mixed));
}

TEST_F(CodesTest, APartOfTheBatchMayBeMixed) {
  next_task();
  const auto batch = batch_of({2, 3, 2, 3, 2});
  auto now = step(2, batch);
  auto whole = book();
  auto some = book({.mix_fraction = 0.5});
  auto none = book({.mix_fraction = 0});

  EXPECT_EQ(none.mixed(now), nullptr);
  const auto* mixed = some.mixed(now);
  ASSERT_NE(mixed, nullptr);
  EXPECT_EQ(mixed->images.size(0), 3);  // half of five, rounded up
  EXPECT_TRUE(mixed->labels.equal(torch::tensor({2, 3, 2}, torch::kLong)));
  EXPECT_TRUE(mixed->images.equal(whole.mixed(now)->images.narrow(0, 0, 3)));
}

TEST_F(CodesTest, MixedImagesLeaveTheRunningStatisticsAloneUnlessAsked) {
  const auto batch = batch_of({0, 1});
  auto now = step(1, batch);

  auto quiet = book({});
  EXPECT_EQ(quiet.mixed(now)->statistics, Statistics::kBatchNoUpdate);
  auto loud = book({.mix_bn_update = true});
  EXPECT_EQ(loud.mixed(now)->statistics, Statistics::kBatch);
}

TEST_F(CodesTest, MixingMayBeginLaterInATask) {
  next_task();
  const auto batch = batch_of({2, 3});
  auto codes = book({.mix_from = 0.5});
  Step early(plan_.task(2), batch, *network_, old_.get(), watch_, {.step = 1, .progress = 0.4});
  Step late(plan_.task(2), batch, *network_, old_.get(), watch_, {.step = 2, .progress = 0.5});

  EXPECT_EQ(codes.mixed(early), nullptr);
  EXPECT_NE(codes.mixed(late), nullptr);
}

TEST_F(CodesTest, OnlyKeptOldClassesAreDrawnAndFewDistinctCodesRunOnceEach) {
  next_task();
  auto codes = book({.bn = CodeStatistics::kAuto});
  const auto batch = batch_of({2, 3, 2, 3, 2, 2});
  auto now = step(2, batch);

  const auto& kept = codes.kept(now);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_TRUE(kept[0].classes.equal(torch::tensor({int64_t{1}})));  // 'a' is forgotten
  EXPECT_EQ(kept[0].weights.sum().item<float>(), 6);
  EXPECT_EQ(kept[0].statistics, Statistics::kRunning);
  const auto& forgotten = codes.forgotten(now);
  EXPECT_TRUE(forgotten.classes.equal(torch::tensor({int64_t{0}})));
  EXPECT_EQ(forgotten.weights.sum().item<float>(), 6);
}

TEST_F(CodesTest, WithBatchStatisticsEveryDrawIsARow) {
  next_task();
  auto codes = book({.bn = CodeStatistics::kBatch});
  const auto batch = batch_of({2, 3, 2, 3, 2, 2});
  auto now = step(2, batch);

  EXPECT_EQ(codes.kept(now)[0].inputs.size(0), 6);
  EXPECT_FALSE(codes.kept(now)[0].weights.defined());
  EXPECT_EQ(codes.kept(now)[0].statistics, Statistics::kBatchNoUpdate);
  EXPECT_EQ(codes.forgotten(now).statistics, Statistics::kRunning);

  auto loud = book({.bn_forgotten = CodeStatistics::kBatch, .bn_update = true});
  auto again = step(2, batch);
  EXPECT_EQ(loud.kept(again)[0].statistics, Statistics::kBatch);
  EXPECT_EQ(loud.forgotten(again).statistics, Statistics::kBatch);
}

TEST_F(CodesTest, ForgottenCodesMayBeMixedWithImages) {
  next_task();
  auto codes = book();
  const auto batch = batch_of({2, 3, 2});
  auto now = step(2, batch);

  const auto& draw = codes.forgotten(now, 0.5);

  EXPECT_EQ(draw.inputs.size(0), 3);
  const auto code = codes.images_of({0});
  const auto lambda =
      (draw.inputs - code).flatten(1).norm(2, 1) / (batch.images - code).flatten(1).norm(2, 1);
  EXPECT_GT(lambda.min().item<float>(), 0);
  EXPECT_LE(lambda.max().item<float>(), 0.5);
}

TEST_F(CodesTest, AStepWithoutImagesSeesEveryCodeOnceWithTheRunningStatistics) {
  next_task();
  old_ = std::dynamic_pointer_cast<test::LinearNetwork>(network_->frozen_copy());
  auto codes = book({.bn = CodeStatistics::kBatch});
  const Batch nothing;
  auto now = step(3, nothing);

  EXPECT_TRUE(codes.kept(now)[0].classes.equal(torch::tensor({int64_t{1}, int64_t{3}})));
  EXPECT_TRUE(codes.forgotten(now).classes.equal(torch::tensor({int64_t{0}, int64_t{2}})));
  EXPECT_EQ(codes.forgotten(now).statistics, Statistics::kRunning);
}

TEST_F(CodesTest, PerTaskThereIsOneDrawForEveryOldTask) {
  next_task();
  old_ = std::dynamic_pointer_cast<test::LinearNetwork>(network_->frozen_copy());
  auto codes = book({.per_task = true});
  const Batch nothing;
  auto now = step(3, nothing);

  ASSERT_EQ(codes.kept(now).size(), 2u);
  EXPECT_TRUE(codes.kept(now)[0].classes.equal(torch::tensor({int64_t{1}})));
  EXPECT_TRUE(codes.kept(now)[1].classes.equal(torch::tensor({int64_t{3}})));
}

TEST_F(CodesTest, APurgedCodeIsGoneAndIsNotDrawnAgain) {
  next_task();
  auto codes = book();
  EXPECT_EQ(codes.bytes_of(0), 3 * 8 * 8);

  codes.purge(ClassSet{0});

  EXPECT_FALSE(codes.has(0));
  EXPECT_EQ(codes.bytes_of(0), 0);
  EXPECT_EQ(codes.state().at("grids")[0].sum().item<int64_t>(), 0);
  EXPECT_THROW(codes.images_of({0}), Error);
  const auto batch = batch_of({2, 3});
  auto now = step(2, batch);
  EXPECT_FALSE(codes.forgotten(now).inputs.defined());
}

}  // namespace
}  // namespace lethe
