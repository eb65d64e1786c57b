#include "lethe/model/options.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/model/classifier.h"

namespace lethe {
namespace {

ModelOptions resolved() {
  return {
      .name = "resnet18", .width = 4, .stem = "cifar_s2", .pretrained = "", .channels_last = false};
}

TEST(ModelOptionsTest, EveryListedModelCanBeMade) {
  for (const auto& model : builtin_models()) {
    auto options = resolved();
    options.name = model.name;
    const auto net = std::dynamic_pointer_cast<ImageClassifier>(make_network(options, 1, 0));
    ASSERT_NE(net, nullptr) << model.name;
    EXPECT_EQ(net->options().backbone.depth, model.depth);
    EXPECT_EQ(net->options().backbone.in_channels, 1);
    EXPECT_FALSE(model.summary.empty());
  }
}

TEST(ModelOptionsTest, EveryOptionReachesTheNetwork) {
  auto options = resolved();
  options.stem = "imagenet";
  options.channels_last = true;

  const auto net = std::dynamic_pointer_cast<ImageClassifier>(make_network(options, 3, 0));

  EXPECT_EQ(net->options().backbone.stem, Stem::kImagenet);
  EXPECT_EQ(net->options().backbone.width, 4);
  EXPECT_TRUE(net->options().channels_last);
  options.channels_last.reset();
  const auto by_width = std::dynamic_pointer_cast<ImageClassifier>(make_network(options, 3, 0));
  EXPECT_EQ(by_width->options().channels_last, channels_last_for_width(4));
}

TEST(ModelOptionsTest, WhatIsStillAutoIsAConfigError) {
  for (const auto change : {0, 1, 2}) {
    auto options = resolved();
    if (change == 0) options.name = "auto";
    if (change == 1) options.width = 0;
    if (change == 2) options.stem = "auto";
    EXPECT_THROW(make_network(options, 3, 0), ConfigError) << change;
  }
}

TEST(ModelOptionsTest, StemNamesGoBothWays) {
  for (const auto stem : {Stem::kImagenet, Stem::kCifar, Stem::kCifarS2}) {
    EXPECT_EQ(stem_called(stem_name(stem)), stem);
  }
  EXPECT_EQ(stem_for_size(32), Stem::kCifar);
  EXPECT_EQ(stem_for_size(64), Stem::kImagenet);
  EXPECT_EQ(stem_for_size(224), Stem::kImagenet);
}

TEST(ModelOptionsTest, AMisspeltModelIsRefusedWithAHint) {
  ModelOptions options;
  auto text = ConfigText::from_string("[model]\nname = \"resnet81\"\n", "x.toml");

  try {
    text.apply(config_fields(options));
    FAIL() << "was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("resnet18"), std::string::npos) << error.what();
  }
}

TEST(ModelOptionsTest, TheSectionIsReadAndWritten) {
  ModelOptions options;
  const auto text = ConfigText::from_string(
      "[model]\nname = \"resnet50\"\nwidth = 32\nstem = \"cifar\"\nchannels_last = true\n", "x");

  text.apply(config_fields(options));
  ModelOptions again;
  ConfigText::from_string(to_toml(config_fields(options)), "y").apply(config_fields(again));

  EXPECT_EQ(options.name, "resnet50");
  EXPECT_EQ(options.width, 32);
  EXPECT_EQ(options.channels_last, true);
  EXPECT_FALSE(first_difference(config_fields(options), config_fields(again)).has_value());
}

}  // namespace
}  // namespace lethe
