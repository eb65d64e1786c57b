#include "lethe/run/experiment.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

// Written by lethe/model/testdata/make_pth.py: conv1 [2, 1, 3, 3] and its norm.
std::string weights(const std::string& name) {
  return LETHE_SOURCE_DIR "/lethe/model/testdata/" + name;
}

// A network of width 2 for colour images.
void configure_small(RunConfig& config, const std::string& pretrained) {
  config.data.name = "shapes";
  config.data.train_per_class = 2;
  config.model.width = 2;
  config.model.pretrained = pretrained;
}

const DatasetInfo& info(const Experiment& experiment) { return experiment.data.train->info(); }

TEST(ExperimentTest, MatchingEntriesOfAPthFileAreLoadedAndTheRestIsInitialised) {
  RunConfig with;
  configure_small(with, weights("plain.pth"));
  RunConfig without;
  configure_small(without, "");

  const auto loaded = named_state(*make_experiment(with).network);
  const auto fresh = named_state(*make_experiment(without).network);

  EXPECT_TRUE(torch::equal(loaded.at("bn1.weight"), torch::tensor({1.5f, 2.5f})));
  EXPECT_FALSE(torch::equal(loaded.at("bn1.weight"), fresh.at("bn1.weight")));
  EXPECT_TRUE(torch::equal(loaded.at("conv1.weight"), fresh.at("conv1.weight")));
}

TEST(ExperimentTest, PretrainedWeightsImplyImagenetNormalisation) {
  RunConfig with;
  configure_small(with, weights("plain.pth"));
  RunConfig without;
  configure_small(without, "");

  const auto imagenet = make_experiment(with);
  const auto own = make_experiment(without);

  EXPECT_EQ(with.data.normalize, "imagenet");
  EXPECT_EQ(info(imagenet).mean.at(0), 0.485);
  EXPECT_EQ(imagenet.eval->info().std.at(2), 0.225);
  EXPECT_EQ(without.data.normalize, "own");
  EXPECT_NE(info(own).mean.at(0), 0.485);
}

TEST(ExperimentTest, TheNormalisationCanBeChosen) {
  RunConfig own;
  configure_small(own, weights("plain.pth"));
  own.data.normalize = "own";
  RunConfig imagenet;
  configure_small(imagenet, "");
  imagenet.data.normalize = "imagenet";

  EXPECT_NE(info(make_experiment(own)).mean.at(0), 0.485);
  EXPECT_EQ(info(make_experiment(imagenet)).mean.at(0), 0.485);
}

TEST(ExperimentTest, MixedPrecisionOnTheCpuIsAnError) {
  RunConfig config;
  configure_small(config, "");
  config.train.device = "cpu";
  config.train.amp = true;
  EXPECT_THROW(make_experiment(config), ConfigError);
}

TEST(ExperimentTest, AFileThatIsNotPlainWeightsStopsTheRun) {
  RunConfig config;
  configure_small(config, weights("evil.pth"));
  EXPECT_THROW(make_experiment(config), DataError);
}

}  // namespace
}  // namespace lethe
