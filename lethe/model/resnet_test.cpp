#include "lethe/model/resnet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"
#include "lethe/model/init.h"
#include "lethe/model/network.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

// A backbone with the module that contains its parts.
struct Holder {
  explicit Holder(const ResNetOptions& options) : resnet(module, options) {}

  int64_t parameters() const {
    int64_t count = 0;
    for (const auto& parameter : module.parameters()) count += parameter.numel();
    return count;
  }
  std::string shape(const std::string& name) const {
    const auto state = named_state(module);
    return state.contains(name) ? shape_text(state.at(name).sizes()) : "(none)";
  }

  torch::nn::Module module;
  ResNet resnet;
};

TEST(ResNetTest, ParameterCountsMatchTorchvisionWithoutTheClassifier) {
  EXPECT_EQ(Holder({.depth = 18}).parameters(), 11'176'512);
  EXPECT_EQ(Holder({.depth = 34}).parameters(), 21'284'672);
  EXPECT_EQ(Holder({.depth = 50}).parameters(), 23'508'032);
  EXPECT_EQ(Holder({.depth = 101}).parameters(), 42'500'160);
}

TEST(ResNetTest, EntriesOfResNet18MatchTorchvision) {
  const Holder net({.depth = 18});

  std::set<std::string> expected;
  const auto add_norm = [&](const std::string& name) {
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      expected.insert(name + '.' + part);
    }
  };
  const auto add_pair = [&](const std::string& conv, const std::string& norm) {
    expected.insert(conv + ".weight");
    add_norm(norm);
  };
  add_pair("conv1", "bn1");
  for (int layer = 1; layer <= 4; ++layer) {
    for (int block = 0; block < 2; ++block) {
      const auto prefix = fmt::format("layer{}.{}.", layer, block);
      add_pair(prefix + "conv1", prefix + "bn1");
      add_pair(prefix + "conv2", prefix + "bn2");
      if (layer > 1 && block == 0) add_pair(prefix + "downsample.0", prefix + "downsample.1");
    }
  }

  std::set<std::string> names;
  for (const auto& [name, tensor] : named_state(net.module)) names.insert(name);
  EXPECT_EQ(names, expected);
  EXPECT_EQ(names.size(), 100u);
  EXPECT_EQ(net.shape("conv1.weight"), "[64, 3, 7, 7]");
  EXPECT_EQ(net.shape("layer1.0.conv1.weight"), "[64, 64, 3, 3]");
  EXPECT_EQ(net.shape("layer2.0.conv1.weight"), "[128, 64, 3, 3]");
  EXPECT_EQ(net.shape("layer2.0.downsample.0.weight"), "[128, 64, 1, 1]");
  EXPECT_EQ(net.shape("layer4.1.bn2.running_var"), "[512]");
}

TEST(ResNetTest, EntriesOfResNet50MatchTorchvision) {
  const Holder net({.depth = 50});

  EXPECT_EQ(named_state(net.module).size(), 265u);  // torchvision's 320 - fc 2 - counters 53
  EXPECT_EQ(net.shape("layer1.0.conv1.weight"), "[64, 64, 1, 1]");
  EXPECT_EQ(net.shape("layer1.0.conv3.weight"), "[256, 64, 1, 1]");
  EXPECT_EQ(net.shape("layer1.0.downsample.0.weight"), "[256, 64, 1, 1]");
  EXPECT_EQ(net.shape("layer1.1.conv1.weight"), "[64, 256, 1, 1]");
  EXPECT_EQ(net.shape("layer3.0.conv1.weight"), "[256, 512, 1, 1]");
  EXPECT_EQ(net.shape("layer3.0.conv2.weight"), "[256, 256, 3, 3]");
  EXPECT_EQ(net.shape("layer4.2.bn3.bias"), "[2048]");
  EXPECT_EQ(net.shape("layer1.1.downsample.0.weight"), "(none)");
}

struct SizeCase {
  int depth;
  Stem stem;
  int64_t output_stride;
  int64_t side;
  int64_t low_level;  // size of layer1's map
  int64_t map;        // size of layer4's map
};

TEST(ResNetTest, SizesFollowStemAndOutputStride) {
  const SizeCase cases[] = {
      {18, Stem::kImagenet, 32, 64, 16, 2}, {18, Stem::kImagenet, 16, 64, 16, 4},
      {18, Stem::kImagenet, 8, 64, 16, 8},  {50, Stem::kImagenet, 16, 64, 16, 4},
      {50, Stem::kImagenet, 8, 64, 16, 8},  {18, Stem::kCifar, 32, 32, 32, 4},
      {18, Stem::kCifar, 8, 32, 32, 4},     {18, Stem::kCifarS2, 32, 32, 16, 2},
      {18, Stem::kCifarS2, 8, 32, 16, 4},   {34, Stem::kImagenet, 32, 33, 9, 2},
  };
  at::NoGradGuard no_grad;
  for (const auto& c : cases) {
    Holder net({.depth = c.depth, .width = 4, .stem = c.stem, .output_stride = c.output_stride});
    net.module.eval();
    const auto output = net.resnet.forward(torch::zeros({2, 3, c.side, c.side}));
    const int64_t factor = c.depth >= 50 ? 4 : 1;
    const auto what = fmt::format("depth {} stem {} stride {}", c.depth, static_cast<int>(c.stem),
                                  c.output_stride);
    EXPECT_EQ(output.low_level.sizes(), at::IntArrayRef({2, 4 * factor, c.low_level, c.low_level}))
        << what;
    EXPECT_EQ(output.map.sizes(), at::IntArrayRef({2, 32 * factor, c.map, c.map})) << what;
    EXPECT_EQ(net.resnet.feature_dim(), 32 * factor);
    EXPECT_EQ(net.resnet.low_level_dim(), 4 * factor);
  }
}

// A dilated convolution uses the same pixels as the strided one that it replaces, at more
// positions. In evaluation mode every fourth position of the dilated map (output stride 8 instead
// of 32) is therefore a position of the strided map.
TEST(ResNetTest, DilatedMapContainsTheStridedMap) {
  for (const int depth : {18, 50}) {
    Holder strided({.depth = depth, .width = 4});
    Holder dilated({.depth = depth, .width = 4, .output_stride = 8});
    init_parameters(strided.module, 3);
    init_parameters(dilated.module, 3);
    strided.module.eval();
    dilated.module.eval();
    at::manual_seed(1);
    at::NoGradGuard no_grad;
    const auto image = torch::randn({1, 3, 64, 64});

    const auto coarse = strided.resnet.forward(image).map;
    const auto fine = dilated.resnet.forward(image).map;

    ASSERT_EQ(fine.size(2), 4 * coarse.size(2));
    const auto picked = fine.slice(2, 0, fine.size(2), 4).slice(3, 0, fine.size(3), 4);
    EXPECT_TRUE(torch::allclose(picked, coarse, 1e-4, 1e-5)) << depth;
    EXPECT_GT(coarse.abs().max().item<float>(), 0);
  }
}

TEST(ResNetTest, FoldingEqualsEvaluationForEveryDepth) {
  for (const int depth : {18, 34, 50, 101}) {
    Holder net({.depth = depth, .width = 8, .stem = Stem::kCifarS2});
    init_parameters(net.module, 1);
    at::manual_seed(2);
    at::NoGradGuard no_grad;
    net.resnet.forward(torch::randn({8, 3, 32, 32}));  // running statistics other than 0 and 1
    net.module.eval();
    const auto image = torch::randn({2, 3, 32, 32});
    const auto before = net.resnet.forward(image);

    net.resnet.fold_batch_norm();
    const auto after = net.resnet.forward(image);

    const auto scale = before.map.abs().max().item<double>();
    EXPECT_LT((after.map - before.map).abs().max().item<double>(), 1e-5 * scale) << depth;
    for (const auto& [name, tensor] : named_state(net.module)) {
      EXPECT_EQ(name.find("bn"), std::string::npos) << name;
      EXPECT_EQ(name.find("running"), std::string::npos) << name;
    }
  }
}

TEST(ResNetTest, EveryParameterGetsAGradient) {
  for (const int depth : {18, 50}) {
    Holder net({.depth = depth, .width = 4, .stem = Stem::kCifarS2});
    init_parameters(net.module, 1);
    at::manual_seed(1);

    net.resnet.forward(torch::randn({4, 3, 32, 32})).map.square().mean().backward();

    for (const auto& parameter : net.module.named_parameters()) {
      ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
      EXPECT_GT(parameter.value().grad().abs().sum().item<double>(), 0) << parameter.key();
    }
  }
}

TEST(ResNetTest, ImpossibleOptionsAreConfigErrors) {
  EXPECT_THROW(Holder({.depth = 20}), ConfigError);
  EXPECT_THROW(Holder({.width = 0}), ConfigError);
  EXPECT_THROW(Holder({.in_channels = 0}), ConfigError);
  EXPECT_THROW(Holder({.output_stride = 4}), ConfigError);
}

TEST(ResNetTest, ImagesWithOtherChannelsAreAnError) {
  const Holder net({.width = 4});
  EXPECT_THROW(net.resnet.forward(torch::zeros({1, 1, 32, 32})), Error);
  EXPECT_THROW(net.resnet.forward(torch::zeros({3, 32, 32})), Error);
}

}  // namespace
}  // namespace lethe
