#include "lethe/model/options.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/model/classifier.h"
#include "lethe/model/segmenter.h"

namespace lethe {
namespace {

ModelOptions resolved() {
  ModelOptions options;
  options.name = "resnet18";
  options.width = 4;
  options.stem = "cifar_s2";
  options.channels_last = false;
  options.backbone = "resnet50";
  options.head_channels = 16;
  options.output_stride = 8;
  options.classifier = "linear";
  options.init = "default";
  return options;
}

TEST(ModelOptionsTest, EveryListedModelCanBeMade) {
  for (const auto& model : builtin_models()) {
    auto options = resolved();
    options.name = model.name;
    const auto net = make_network(options, 1, 0);
    const auto classifier = std::dynamic_pointer_cast<ImageClassifier>(net);
    const auto segmenter = std::dynamic_pointer_cast<Segmenter>(net);
    ASSERT_EQ(segmenter != nullptr, model.problem == Problem::kMasks) << model.name;
    const auto& backbone =
        segmenter ? segmenter->options().backbone : classifier->options().backbone;
    EXPECT_EQ(backbone.depth, segmenter ? 50 : model.depth);
    EXPECT_EQ(backbone.in_channels, 1);
    EXPECT_EQ(backbone.output_stride, segmenter ? 8 : 32);
    EXPECT_FALSE(model.summary.empty());
  }
}

TEST(ModelOptionsTest, EveryOptionReachesTheNetwork) {
  auto options = resolved();
  options.width = 16;
  options.stem = "imagenet";
  options.channels_last = true;

  const auto net = std::dynamic_pointer_cast<ImageClassifier>(make_network(options, 3, 0));

  EXPECT_EQ(net->options().backbone.stem, Stem::kImagenet);
  EXPECT_EQ(net->options().backbone.width, 16);
  EXPECT_TRUE(net->options().channels_last);
  options.channels_last.reset();
  const auto by_width = std::dynamic_pointer_cast<ImageClassifier>(make_network(options, 3, 0));
  EXPECT_EQ(by_width->options().channels_last, channels_last_for_width(16));
}

TEST(ModelOptionsTest, ChannelsLastIsNotUsedInNarrowNetworksWhereItCorruptsMemory) {
  EXPECT_FALSE(channels_last_for_width(8));
  EXPECT_TRUE(channels_last_for_width(16));
  EXPECT_FALSE(channels_last_for_width(64));
  auto options = resolved();
  options.width = 8;
  options.channels_last = true;
  EXPECT_THROW(make_network(options, 3, 0), ConfigError);
}

TEST(ModelOptionsTest, AnOutputStrideThatTheStemCannotReachIsAnError) {
  auto options = resolved();
  options.name = "deeplabv3plus";
  options.stem = "cifar";
  options.output_stride = 16;
  EXPECT_THROW(make_network(options, 3, 0), ConfigError);
  options.output_stride = 8;
  EXPECT_NO_THROW(make_network(options, 3, 0));
}

TEST(ModelOptionsTest, EverySegmentationOptionReachesTheSegmenter) {
  auto options = resolved();
  options.name = "deeplabv3";
  options.backbone = "resnet34";
  options.classifier = "ssul";
  options.init = "unknown";
  options.aspp = "mib";
  options.aspp_act = "leaky_relu";
  options.dropout = 0.25;
  options.output_stride = 16;

  const auto made = std::dynamic_pointer_cast<Segmenter>(make_network(options, 3, 0))->options();

  EXPECT_FALSE(made.plus);
  EXPECT_EQ(made.backbone.depth, 34);
  EXPECT_EQ(made.backbone.output_stride, 16);
  EXPECT_EQ(made.classifier, PixelHeadKind::kSsul);
  EXPECT_EQ(made.init, NewClassInit::kUnknown);
  EXPECT_EQ(made.aspp, AsppKind::kMib);
  EXPECT_EQ(made.aspp_activation, Activation::kLeakyRelu);
  EXPECT_EQ(made.dropout, 0.25);
  options.aspp = "standard";
  EXPECT_THROW(make_network(options, 3, 0), ConfigError);  // standard only has relu
}

TEST(ModelOptionsTest, NonDefaultSegmentationKeysAreAnErrorForClassifiers) {
  ModelOptions options;
  EXPECT_NO_THROW(refuse_segmentation_keys(options));
  options.bn = "frozen";  // applies to every network
  EXPECT_NO_THROW(refuse_segmentation_keys(options));
  options.output_stride = 8;
  try {
    refuse_segmentation_keys(options);
    FAIL() << "was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("model.output_stride = 8"), std::string::npos)
        << error.what();
  }
}

TEST(ModelOptionsTest, BatchNormOfTheFirstTaskAndOfLaterTasksAreSeparate) {
  auto options = resolved();
  options.bn_next = "frozen";
  options.bn_momentum = 0.01;

  EXPECT_FALSE(first_norm(options).frozen);
  EXPECT_TRUE(next_norm(options).frozen);
  EXPECT_EQ(first_norm(options).momentum, 0.01);
}

TEST(ModelOptionsTest, AnUnresolvedAutoIsAConfigError) {
  for (const auto& key : {"backbone", "classifier", "init"}) {
    auto options = resolved();
    options.name = "deeplabv3plus";
    (key == std::string("backbone") ? options.backbone
     : key == std::string("init")   ? options.init
                                    : options.classifier) = "auto";
    EXPECT_THROW(make_network(options, 3, 0), ConfigError) << key;
  }
  for (const auto change : {0, 1, 2, 3}) {
    auto options = resolved();
    if (change == 0) options.name = "auto";
    if (change == 1) options.width.reset();
    if (change == 3) options.width = 0;
    if (change == 2) options.stem = "auto";
    EXPECT_THROW(make_network(options, 3, 0), ConfigError) << change;
  }
}

TEST(ModelOptionsTest, StemNamesConvertInBothDirections) {
  for (const auto stem : {Stem::kImagenet, Stem::kCifar, Stem::kCifarS2}) {
    EXPECT_EQ(stem_called(stem_name(stem)), stem);
  }
  EXPECT_EQ(stem_for_size(32), Stem::kCifar);
  EXPECT_EQ(stem_for_size(64), Stem::kImagenet);
  EXPECT_EQ(stem_for_size(224), Stem::kImagenet);
}

TEST(ModelOptionsTest, AMisspelledModelIsAnErrorWithAHint) {
  ModelOptions options;
  auto text = ConfigText::from_string("[model]\nname = \"resnet81\"\n", "x.toml");

  try {
    text.apply(config_fields(options));
    FAIL() << "was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("resnet18"), std::string::npos) << error.what();
  }
}

TEST(ModelOptionsTest, TheWidthIsAutoUnlessItIsSet) {
  ModelOptions options;
  const auto width = [&] {
    for (const auto& field : config_fields(options)) {
      if (field.key == "model.width") return value_text(field);
    }
    return std::string();
  };
  EXPECT_EQ(width(), "\"auto\"");

  ConfigText::from_string("[model]\nwidth = 32\n", "x").apply(config_fields(options));
  EXPECT_EQ(width(), "32");
  ConfigText::from_string("[model]\nwidth = \"auto\"\n", "x").apply(config_fields(options));
  EXPECT_EQ(width(), "\"auto\"");
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
