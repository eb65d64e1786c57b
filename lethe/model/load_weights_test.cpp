#include "lethe/model/load_weights.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lethe/core/error.h"
#include "lethe/core/safetensors.h"
#include "lethe/model/classifier.h"
#include "lethe/model/torch.h"
#include "tests/support/data_files.h"
#include "tests/support/shared_data.h"

namespace lethe {
namespace {

ImageClassifier narrow(int64_t channels = 3, int64_t width = 4, uint64_t seed = 0) {
  return ImageClassifier(
      {.backbone = {.width = width, .stem = Stem::kCifarS2, .in_channels = channels}}, seed);
}

// A copy of the state, as in a file: shares no memory with the network.
StateDict stored(const torch::nn::Module& module) {
  StateDict state;
  for (const auto& [name, tensor] : named_state(module)) state[name] = tensor.detach().clone();
  return state;
}

TEST(LoadWeightsTest, ATorchvisionFileLoadsTheWholeBackbone) {
  auto source = narrow(3, 4, 1);
  auto weights = stored(source);
  for (auto& [name, tensor] : weights) tensor = tensor.to(torch::kHalf);
  weights["fc.weight"] = torch::zeros({10, 32});
  weights["fc.bias"] = torch::zeros({10});
  weights["bn1.num_batches_tracked"] = torch::zeros({}, torch::kLong);
  auto net = narrow(3, 4, 2);
  net.add_classes(5, 2);
  const auto head = named_state(net).at("heads.0.weight").detach().clone();

  const auto report = load_weights(net, weights, "w.safetensors");

  EXPECT_EQ(report.loaded.size(), 100u);
  EXPECT_TRUE(report.backbone_complete());
  ASSERT_EQ(report.missing.size(), 1u);
  EXPECT_EQ(report.missing[0].name, "heads.0.weight");
  EXPECT_EQ(report.unexpected.size(), 3u);
  for (const auto& entry : report.loaded) {
    const auto value = named_state(net).at(entry.name);
    EXPECT_TRUE(torch::equal(value, weights.at(entry.name).to(torch::kFloat))) << entry.name;
  }
  EXPECT_TRUE(torch::equal(named_state(net).at("heads.0.weight"), head));
  EXPECT_EQ(summary(report, "w.safetensors"),
            "w.safetensors: 100 of 100 backbone entries loaded; not used: fc.bias [10], fc.weight "
            "[10, 32]; heads initialised from scratch");
}

TEST(LoadWeightsTest, WithOtherInputChannelsTheStemIsSkippedAndReported) {
  auto net = narrow(1, 4, 2);
  const auto stem = named_state(net).at("conv1.weight").detach().clone();

  const auto report = load_weights(net, stored(narrow(3, 4, 1)), "w");

  EXPECT_EQ(report.loaded.size(), 99u);
  EXPECT_FALSE(report.backbone_complete());
  EXPECT_TRUE(torch::equal(named_state(net).at("conv1.weight"), stem));
  EXPECT_EQ(
      summary(report, "w"),
      "w: 99 of 100 backbone entries loaded; initialised from scratch because their shapes differ: "
      "conv1.weight (network [4, 1, 3, 3], file [4, 3, 3, 3]); heads initialised from scratch");
}

TEST(LoadWeightsTest, MissingEntriesAreNamed) {
  auto weights = stored(narrow(3, 4, 1));
  weights.erase("bn1.bias");
  auto net = narrow();

  const auto report = load_weights(net, weights, "w");

  ASSERT_EQ(report.missing.size(), 1u);
  EXPECT_FALSE(report.backbone_complete());
  EXPECT_NE(summary(report, "w").find("missing, initialised from scratch: bn1.bias [4]"),
            std::string::npos);
}

TEST(LoadWeightsTest, HeadsOfAnotherRunAreNotLoaded) {
  auto source = narrow(3, 4, 1);
  source.add_classes(5, 1);
  auto net = narrow(3, 4, 2);
  net.add_classes(5, 2);
  const auto head = named_state(net).at("heads.0.weight").detach().clone();

  const auto report = load_weights(net, stored(source), "w");

  EXPECT_TRUE(torch::equal(named_state(net).at("heads.0.weight"), head));
  ASSERT_EQ(report.unexpected.size(), 1u);
  EXPECT_EQ(report.unexpected[0].name, "heads.0.weight");
  EXPECT_TRUE(report.backbone_complete());
}

TEST(LoadWeightsTest, AFileWithoutAnyMatchIsADataError) {
  auto net = narrow();
  const auto other = message_of<DataError>([&] {
    load_weights(net, {{"x", torch::ones({2})}}, "w.safetensors");
  });
  EXPECT_NE(other.find("w.safetensors: none of its entries (1) fits"), std::string::npos) << other;
  EXPECT_NE(other.find("bn1.bias [4]"), std::string::npos) << other;
  const auto integers = message_of<DataError>([&] {
    load_weights(net, {{"bn1.bias", torch::ones({4}, torch::kLong)}}, "w");
  });
  EXPECT_NE(integers.find("bn1.bias (network Float [4], file Long [4])"), std::string::npos)
      << integers;
}

TEST(LoadWeightsTest, ForAnotherWidthTheMessageNamesTheKeyToSet) {
  auto net = narrow(3, 4);
  const auto message =
      message_of<DataError>([&] { load_weights(net, stored(narrow(3, 8)), "w.pth"); });
  EXPECT_EQ(
      message,
      "w.pth: none of its entries (100) fits the network; its first stage has 8 channels, the "
      "network's 4: set model.width = 8");
}

TEST(LoadWeightsTest, WithAnotherStemItsConvolutionIsSkippedAndReported) {
  ImageClassifier net({.backbone = {.width = 4, .stem = Stem::kImagenet}}, 2);

  const auto report = load_weights(net, stored(narrow(3, 4, 1)), "w");

  EXPECT_EQ(
      summary(report, "w"),
      "w: 99 of 100 backbone entries loaded; initialised from scratch because their shapes differ: "
      "conv1.weight (network [4, 3, 7, 7], file [4, 3, 3, 3]); heads initialised from scratch");
}

TEST(LoadStateTest, ALoadedCheckpointIsBitIdentical) {
  auto source = narrow(3, 4, 1);
  source.add_classes(5, 1);
  auto net = narrow(3, 4, 2);
  net.add_classes(5, 2);
  const auto state = stored(source);

  load_state(net, state, "model.safetensors");

  for (const auto& [name, tensor] : state) {
    EXPECT_TRUE(torch::equal(named_state(net).at(name), tensor)) << name;
  }
  EXPECT_TRUE(net.parameters().front().requires_grad());
}

TEST(LoadStateTest, EveryDifferenceIsADataErrorAndChangesNothing) {
  auto net = narrow(3, 4, 2);
  net.add_classes(5, 2);
  const auto before = stored(net);
  auto good = stored(narrow(3, 4, 1));
  good["heads.0.weight"] = torch::ones({5, 32});

  auto missing = good;
  missing.erase("conv1.weight");
  auto unexpected = good;
  unexpected["heads.1.weight"] = torch::ones({5, 32});
  auto shape = good;
  shape["heads.0.weight"] = torch::ones({4, 32});
  auto type = good;
  type["bn1.bias"] = torch::ones({4}, torch::kDouble);
  const std::pair<StateDict, std::string> cases[] = {
      {missing, "m: does not fit the network; missing: conv1.weight [4, 3, 3, 3]"},
      {unexpected, "m: does not fit the network; unexpected: heads.1.weight [5, 32]"},
      {shape,
       "m: does not fit the network; different: heads.0.weight (network [5, 32], file [4, 32])"},
      {type,
       "m: does not fit the network; different: bn1.bias (network Float [4], file Double [4])"},
  };
  for (const auto& [state, message] : cases) {
    EXPECT_EQ(message_of<DataError>([&, &checkpoint = state] { load_state(net, checkpoint, "m"); }),
              message);
  }
  for (const auto& [name, tensor] : before) {
    EXPECT_TRUE(torch::equal(named_state(net).at(name), tensor)) << name;
  }
}

TEST(LoadStateTest, LongListsAreTruncated) {
  auto net = narrow();
  const auto message = message_of<DataError>([&] { load_state(net, {}, "m"); });
  EXPECT_NE(message.find(" and 97 more"), std::string::npos) << message;
}

TEST(RealWeightsTest, NarrowTinyImagenetFillsTheWholeBackbone) {
  const std::string name = "weights/resnet18-w16-s2-tinyimagenet32.safetensors";
  const auto file = shared_data(name);
  if (file.empty()) GTEST_SKIP() << no_shared_data(name);
  auto net = narrow(3, 16);

  const auto report = load_weights(net, read_safetensors(file), file.string());

  EXPECT_EQ(report.loaded.size(), 100u);
  EXPECT_TRUE(report.backbone_complete()) << summary(report, file.string());
  for (const auto& entry : report.unexpected) {
    EXPECT_TRUE(entry.name.starts_with("fc.") || entry.name.ends_with("num_batches_tracked"))
        << entry.name;
  }
}

TEST(RealWeightsTest, TinyImagenetFillsTheWholeBackbone) {
  const std::string name = "weights/resnet18-tinyimagenet.safetensors";
  const auto file = shared_data(name);
  if (file.empty()) GTEST_SKIP() << no_shared_data(name);
  ImageClassifier net({.backbone = {.depth = 18}}, 0);

  const auto report = load_weights(net, read_safetensors(file), file.string());

  EXPECT_EQ(report.loaded.size(), 100u);
  EXPECT_TRUE(report.backbone_complete()) << summary(report, file.string());
}

}  // namespace
}  // namespace lethe
