#include "lethe/run/run_config.h"

#include <gtest/gtest.h>

#include <memory>

#include "lethe/core/error.h"
#include "lethe/method/codes/codes.h"
#include "lethe/method/ssul.h"

namespace lethe {
namespace {

DatasetInfo info_of(Problem problem, int64_t side) {
  DatasetInfo info;
  info.problem = problem;
  info.class_names = {"background", "a", "b"};
  info.height = info.width = side;
  return info;
}

TEST(ResolveTest, SegmentationGetsThePapersNetworkAndSchedule) {
  RunConfig config;
  config.data.name = "voc2012";

  resolve_learning(config, info_of(Problem::kMasks, 512), 1000);

  EXPECT_EQ(config.model.name, "deeplabv3plus");
  EXPECT_EQ(config.model.backbone, "resnet101");
  EXPECT_EQ(config.model.width, 64);
  EXPECT_EQ(config.model.head_channels, 256);
  EXPECT_EQ(config.model.output_stride, 16);
  EXPECT_EQ(config.model.classifier, "linear");
  EXPECT_EQ(config.model.init, "default");
  EXPECT_EQ(config.model.dropout, 0.1);
  EXPECT_EQ(config.train.lr, 1e-2);
  EXPECT_DOUBLE_EQ(*config.train.lr_next, 1e-3);
  EXPECT_EQ(config.train.schedule, "poly");
  EXPECT_EQ(config.train.warmup_epochs, 0);
  EXPECT_EQ(config.train.nesterov, true);
  EXPECT_EQ(config.train.weight_decay, 1e-4);
  EXPECT_EQ(config.eval.batch, 4);
}

TEST(ResolveTest, SmallSegmentationImagesGetANarrowNetworkAndASmallerStride) {
  RunConfig config;
  config.data.name = "shapes_seg";

  resolve_learning(config, info_of(Problem::kMasks, 64), 1000);

  EXPECT_EQ(config.model.backbone, "resnet18");
  EXPECT_EQ(config.model.width, 16);
  EXPECT_EQ(config.model.head_channels, 64);
  EXPECT_EQ(config.model.output_stride, 8);
  EXPECT_EQ(config.eval.batch, 256);
  EXPECT_NO_THROW(make_network(config.model, 3, 0));
}

TEST(ResolveTest, NewClassesOfSsulAreInitialisedFromUnknownIfThereIsSuchAClass) {
  for (const bool unknown : {true, false}) {
    RunConfig config;
    config.data.name = "shapes_seg";
    config.method = "ssul";
    config.method_groups.get<SsulOptions>().unknown = unknown;

    resolve(config, info_of(Problem::kMasks, 64), 1000);

    EXPECT_EQ(config.model.classifier, "ssul");
    EXPECT_EQ(config.model.init, unknown ? "unknown" : "default");
  }
}

TEST(ResolveTest, SegmentationSettingsOfTheUserAreKept) {
  RunConfig config;
  config.model.backbone = "resnet50";
  config.model.head_channels = 32;
  config.model.output_stride = 16;
  config.model.classifier = "ssul";
  config.train.lr = 0.5;
  config.train.nesterov = false;
  config.train.weight_decay = 0.0;
  config.train.schedule = "step";

  resolve_learning(config, info_of(Problem::kMasks, 64), 1000);

  EXPECT_EQ(config.model.backbone, "resnet50");
  EXPECT_EQ(config.model.head_channels, 32);
  EXPECT_EQ(config.model.output_stride, 16);
  EXPECT_EQ(config.model.init, "unknown");
  EXPECT_DOUBLE_EQ(*config.train.lr_next, 0.05);
  EXPECT_EQ(config.train.nesterov, false);
  EXPECT_EQ(config.train.weight_decay, 0);
  EXPECT_EQ(config.train.schedule, "step");
}

TEST(ResolveTest, ClassificationGetsItsDefaults) {
  RunConfig config;

  resolve_learning(config, info_of(Problem::kImages, 32), 1000);

  EXPECT_EQ(config.model.name, "resnet18");
  EXPECT_EQ(config.train.nesterov, false);
  EXPECT_EQ(config.train.weight_decay, 5e-4);
  EXPECT_EQ(config.train.schedule, "cosine");
  EXPECT_EQ(config.train.lr_next, config.train.lr);
  EXPECT_EQ(config.eval.batch, 256);
  EXPECT_EQ(config.model.bn_next, "train");
}

TEST(ResolveTest, YourOwnImagesAreTrainedByTheirNumberUnlessYouSayOtherwise) {
  const auto resolved = [](const char* key_value) {
    auto config = std::make_unique<RunConfig>();
    auto text = ConfigText::from_string("[data]\nname = 'image_folder'\n", "x");
    text.set(key_value);
    configure(*config, text);
    resolve(*config, info_of(Problem::kImages, 64), 480);
    return config;
  };

  const auto config = resolved("train.seed=0");
  EXPECT_EQ(config->model.width, 16);
  EXPECT_EQ(config->train.epochs, 46);
  EXPECT_EQ(config->train.batch, 16);
  EXPECT_EQ(config->train.lr, 0.0125);
  EXPECT_EQ(config->aug.crop, "pad");
  EXPECT_EQ(config->aug.pad, 8);
  EXPECT_EQ(config->data.size, 64);

  EXPECT_EQ(resolved("train.batch=32")->train.lr, 0.025);
  EXPECT_EQ(resolved("model.width=auto")->model.width, 16);
  EXPECT_EQ(resolved("model.width=0")->model.width, 16);
  EXPECT_EQ(resolved("model.width=8")->model.width, 8);
  EXPECT_EQ(resolved("train.epochs=3")->train.epochs_next, 3);
  EXPECT_EQ(resolved("model.pretrained=weights.safetensors")->data.size, 224);
}

TEST(ResolveTest, ANetworkOfTheOtherProblemAndSegmentationKeysForImagesAreErrors) {
  RunConfig masks;
  masks.model.name = "resnet18";
  EXPECT_THROW(resolve_learning(masks, info_of(Problem::kMasks, 64), 1000), ConfigError);
  RunConfig images;
  images.model.name = "deeplabv3";
  EXPECT_THROW(resolve_learning(images, info_of(Problem::kImages, 64), 1000), ConfigError);
  RunConfig keys;
  keys.model.head_channels = 64;
  EXPECT_THROW(resolve_learning(keys, info_of(Problem::kImages, 64), 1000), ConfigError);
}

TEST(ResolveTest, OptionsOfOtherMethodsAreNotResolved) {
  RunConfig finetune;
  EXPECT_NO_THROW(resolve(finetune, info_of(Problem::kImages, 4), 1000));
  EXPECT_FALSE(finetune.method_groups.get<CodeOptions>().grid);
  RunConfig codes;
  codes.method = "mc";
  EXPECT_THROW(resolve(codes, info_of(Problem::kImages, 4), 1000), ConfigError);
}

TEST(ResolveTest, MorePartsThanImagesAreAnError) {
  RunConfig config;
  config.train.batch = 4;
  config.train.accumulate = 5;
  EXPECT_THROW(resolve_learning(config, info_of(Problem::kImages, 32), 1000), ConfigError);
}

TEST(RunConfigTest, APublishedCommandShowsOnlyTheLastComponentOfAPath) {
  EXPECT_EQ(without_own_path("data.root=/home/me/cifar-100-binary"),
            "data.root=DIR/cifar-100-binary");
  EXPECT_EQ(without_own_path("data.root=../data/VOC2012/"), "data.root=DIR/VOC2012");
  EXPECT_EQ(without_own_path("model.pretrained=/w/a.pth"), "model.pretrained=DIR/a.pth");
  EXPECT_EQ(without_own_path("data.root="), "data.root=");
  EXPECT_EQ(without_own_path("train.lr=0.1"), "train.lr=0.1");
  EXPECT_EQ(without_own_path("stream.tasks=[4, 4]"), "stream.tasks=[4, 4]");
}

}  // namespace
}  // namespace lethe
