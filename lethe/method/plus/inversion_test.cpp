#include "lethe/method/plus/inversion.h"

#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "lethe/core/system.h"
#include "lethe/model/classifier.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

// A small network, trained for a few steps on images of one colour per class, and the statistics of
// these images.
class InversionTest : public testing::Test {
 protected:
  void SetUp() override {
    set_up_threads(1);
    info_.channels = 3;
    info_.height = info_.width = 8;
    info_.mean = {0.5, 0.5, 0.5};
    info_.std = {0.25, 0.25, 0.25};
    at::manual_seed(1);
    ImageClassifier network({.backbone = {.depth = 18, .width = 4, .stem = Stem::kCifarS2}}, 0);
    network.add_classes(3, 0);
    network.train();
    torch::optim::SGD optimizer(network.parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
    for (int i = 0; i < 30; ++i) {
      const auto labels = torch::arange(24) % 3;
      optimizer.zero_grad();
      const auto logits = network.forward(images_of(labels)).logits;
      additive_margin_loss(logits, labels, {.scale = 10}).backward();
      optimizer.step();
    }
    network_ = network.frozen_copy();
    const at::NoGradGuard no_grad;
    const auto labels = torch::arange(60) % 3;
    auto moments = ClassStatistics::moments_of({0, 1, 2});
    moments.add(network_->forward_stages(images_of(labels)).stages, labels);
    statistics_.store(moments);
  }

  static at::Tensor images_of(const at::Tensor& labels) {
    auto images = 0.5 * torch::randn({labels.size(0), 3, 8, 8});
    for (int64_t i = 0; i < labels.size(0); ++i) images[i][labels[i].item<int64_t>()].add_(1.5);
    return images;
  }
  InversionGoal goal(const std::vector<int64_t>& counts) const {
    std::vector<InversionClass> classes;
    for (size_t id = 0; id < counts.size(); ++id)
      classes.push_back({static_cast<ClassId>(id), counts[id], {0, 1, 2}});
    return inversion_goal(classes, statistics_, 3, 5, options_);
  }

  DatasetInfo info_;
  std::shared_ptr<Network> network_;
  ClassStatistics statistics_;
  InversionOptions options_ = {.steps = 40};
};

TEST_F(InversionTest, TheObjectiveFallsAndTheOldModelTakesTheImagesForTheirClass) {
  const auto wanted = goal({6, 4, 6});
  const auto start = inversion_start(wanted, info_, 5);

  const auto images = invert(*network_, wanted, info_, 5, options_);

  const at::NoGradGuard no_grad;
  const auto before = inversion_losses(*network_, start, wanted, options_).mean();
  const auto after = inversion_losses(*network_, images, wanted, options_).mean();
  EXPECT_LT(after.item<double>(), 0.3 * before.item<double>());
  EXPECT_TRUE(network_->forward(images).logits.argmax(1).equal(wanted.classes));
}

TEST_F(InversionTest, EveryValueIsOneThatAPixelCanHave) {
  const auto images = invert(*network_, goal({2, 2, 2}), info_, 5, options_);

  EXPECT_LE(images.max().item<float>(), 2.0F);  // (1 - 0.5) / 0.25
  EXPECT_GE(images.min().item<float>(), -2.0F);
}

TEST_F(InversionTest, TheSameSeedGivesTheSameBitsAndAnotherOneOthers) {
  const auto images = invert(*network_, goal({2, 1, 1}), info_, 5, options_);

  EXPECT_TRUE(invert(*network_, goal({2, 1, 1}), info_, 5, options_).equal(images));
  EXPECT_FALSE(invert(*network_, goal({2, 1, 1}), info_, 6, options_).equal(images));
}

TEST_F(InversionTest, StartAndTargetOfAnImageDoNotDependOnOtherImages) {
  const auto few = goal({1, 1});
  const auto many = goal({3, 2, 1});

  EXPECT_TRUE(few.targets.back()[1].equal(many.targets.back()[3]));
  EXPECT_TRUE(inversion_start(few, info_, 5)[1].equal(inversion_start(many, info_, 5)[3]));
}

TEST_F(InversionTest, TargetsScatterAroundTheMeanOfTheClass) {
  options_.spread = 0;
  const auto centre = goal({2});
  const auto last = statistics_.stages() - 1;
  const auto mean = statistics_.means(last, {0})[0].to(at::kFloat);
  options_.spread = 0.7;

  EXPECT_TRUE(centre.targets.back()[0].equal(mean));
  EXPECT_FALSE(goal({2}).targets.back()[0].equal(mean));
}

}  // namespace
}  // namespace lethe
