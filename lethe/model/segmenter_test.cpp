#include "lethe/model/segmenter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"
#include "lethe/model/classifier.h"
#include "lethe/model/conv_norm.h"
#include "lethe/model/load_weights.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

SegmenterOptions small(int depth = 18, int64_t output_stride = 8) {
  return {.backbone = {.depth = depth, .width = 4, .output_stride = output_stride},
          .head_channels = 16,
          .dropout = 0};
}

SegmenterOptions small_ssul() {
  auto options = small();
  options.classifier = PixelHeadKind::kSsul;
  options.init = NewClassInit::kUnknown;
  return options;
}

// All variants of the network, with few channels.
std::vector<SegmenterOptions> forms() {
  std::vector<SegmenterOptions> all;
  for (const bool plus : {true, false}) {
    for (const auto& base : {small(), small_ssul()}) {
      for (const auto aspp : {AsppKind::kStandard, AsppKind::kMib}) {
        auto options = base;
        options.plus = plus;
        options.aspp = aspp;
        options.aspp_activation = Activation::kLeakyRelu;
        all.push_back(options);
      }
    }
  }
  return all;
}

std::string text_of(const SegmenterOptions& o) {
  return fmt::format("depth {} stride {}{}{}{}", o.backbone.depth, o.backbone.output_stride,
                     o.plus ? " plus" : "", o.classifier == PixelHeadKind::kSsul ? " ssul" : "",
                     o.aspp == AsppKind::kMib ? " mib" : "");
}

at::Tensor some_images(int64_t count = 2, int64_t side = 32) {
  at::manual_seed(1);
  return torch::randn({count, 3, side, side});
}

// Gives the network running statistics other than 0 and 1.
void warm_up(Network& network) {
  const at::NoGradGuard no_grad;
  network.train();
  for (int i = 0; i < 3; ++i) network.forward(some_images(4));
  network.eval();
}

TEST(SegmenterTest, SizesFollowBackboneAndOutputStride) {
  const at::NoGradGuard no_grad;
  for (const int depth : {18, 34, 50, 101}) {
    for (const int64_t stride : {8, 16}) {
      for (const bool plus : {true, false}) {
        auto options = small(depth, stride);
        options.plus = plus;
        Segmenter net(options, 0);
        net.add_classes(3, 0);
        net.eval();

        const auto output = net.forward(torch::zeros({2, 3, 64, 48}));

        const int64_t channels = depth >= 50 ? 128 : 32;
        EXPECT_EQ(net.feature_dim(), channels);
        EXPECT_EQ(output.features.sizes(), at::IntArrayRef({2, channels, 64 / stride, 48 / stride}))
            << text_of(options);
        EXPECT_EQ(output.logits.sizes(), at::IntArrayRef({2, 4, 64, 48})) << text_of(options);
        EXPECT_FALSE(output.unknown.defined());
      }
    }
  }
}

TEST(SegmenterTest, StagesEndInTheFeaturesAndTheOutputIsThatOfForward) {
  const at::NoGradGuard no_grad;
  Segmenter net(small(), 0);
  net.add_classes(2, 0);
  warm_up(net);

  const auto staged = net.forward_stages(some_images());

  const auto output = net.forward(some_images());
  ASSERT_EQ(staged.stages.size(), 4u);
  EXPECT_TRUE(torch::equal(staged.stages.back(), output.features));
  EXPECT_TRUE(torch::equal(staged.output.logits, output.logits));
}

TEST(SegmenterTest, LogitsHaveTheImageSizeForOddSizes) {
  const at::NoGradGuard no_grad;
  for (const auto& options : forms()) {
    Segmenter net(options, 0);
    net.add_classes(1, 0);
    net.eval();
    EXPECT_EQ(net.forward(torch::zeros({1, 3, 33, 41})).logits.sizes(),
              at::IntArrayRef({1, 2, 33, 41}))
        << text_of(options);
  }
}

TEST(SegmenterTest, TheDefaultIsThePapersNetwork) {
  const Segmenter net(SegmenterOptions{}, 0);
  const auto state = named_state(net);

  int64_t count = 0;
  for (const auto& parameter : net.parameters()) count += parameter.numel();
  // torchvision's ResNet-101 and ASPP, then a 1x1 convolution to 48 channels and a 3x3 convolution
  // from 304 channels, each with its norm.
  const int64_t aspp = 2 * (2048 * 256 + 512) + 3 * (9 * 2048 * 256 + 512) + 1280 * 256 + 512;
  EXPECT_EQ(count, 42'500'160 + aspp + (256 * 48 + 96) + (9 * 304 * 256 + 512));
  EXPECT_EQ(shape_text(state.at("aspp.convs.3.0.weight").sizes()), "[256, 2048, 3, 3]");
  EXPECT_EQ(shape_text(state.at("low_level.0.weight").sizes()), "[48, 256, 1, 1]");
  EXPECT_EQ(shape_text(state.at("decoder.0.weight").sizes()), "[256, 304, 3, 3]");
}

TEST(SegmenterTest, DilationsOfTheBranchesFollowTheOutputStride) {
  EXPECT_EQ(aspp_dilations(AsppKind::kStandard, 16), (std::array<int64_t, 3>{6, 12, 18}));
  EXPECT_EQ(aspp_dilations(AsppKind::kStandard, 8), (std::array<int64_t, 3>{12, 24, 36}));
  EXPECT_EQ(aspp_dilations(AsppKind::kMib, 8), (std::array<int64_t, 3>{12, 24, 32}));
}

TEST(SegmenterTest, ClassesOfAllTasksAreOneHeadWithBackgroundFirst) {
  for (const auto& options : forms()) {
    Segmenter net(options, 5);
    net.add_classes(3, 5);
    net.eval();
    const at::NoGradGuard no_grad;
    const auto images = some_images();
    const auto before = net.forward(images).logits;

    net.add_classes(2, 5);

    const auto after = net.forward(images).logits;
    ASSERT_EQ(net.heads().size(), 1u);
    EXPECT_EQ(net.heads()[0].first, 0);
    EXPECT_EQ(net.num_classes(), 6);
    EXPECT_EQ(after.size(1), 6);
    EXPECT_TRUE(torch::equal(after.narrow(1, 0, 4), before)) << text_of(options);
  }
}

TEST(SegmenterTest, NamesIdentifyTheHeads) {
  Segmenter linear(small(), 0);
  linear.add_classes(3, 0);
  linear.add_classes(2, 0);
  const auto state = named_state(linear);

  EXPECT_EQ(shape_text(state.at("classifier.0.weight").sizes()), "[4, 16, 1, 1]");
  EXPECT_EQ(shape_text(state.at("classifier.1.bias").sizes()), "[2]");
  EXPECT_TRUE(linear.is_head_parameter("classifier.1.bias"));
  EXPECT_FALSE(linear.is_head_parameter("decoder.0.weight"));

  Segmenter ssul(small_ssul(), 0);
  ssul.add_classes(3, 0);
  ssul.add_classes(2, 0);
  const auto heads = named_state(ssul);
  // 16 channels of ASPP plus 8 of layer1: the convolution in the head replaces that of the decoder.
  EXPECT_EQ(shape_text(heads.at("classifier.unknown.0.weight").sizes()), "[16, 24, 3, 3]");
  EXPECT_EQ(shape_text(heads.at("classifier.background.3.weight").sizes()), "[1, 16, 1, 1]");
  EXPECT_EQ(shape_text(heads.at("classifier.0.3.bias").sizes()), "[3]");
  EXPECT_EQ(shape_text(heads.at("classifier.1.1.running_var").sizes()), "[16]");
  EXPECT_FALSE(heads.contains("decoder.0.weight"));
}

TEST(SegmenterTest, InitialValuesDependOnSeedAndNameOnly) {
  const auto grown = [](uint64_t seed, bool trains_between) {
    Segmenter net(small(), seed);
    net.add_classes(2, seed);
    if (trains_between) net.forward(some_images());
    net.add_classes(2, seed);
    return named_state(net);
  };
  const auto first = grown(1, false);
  const auto second = grown(1, true);
  const auto other = grown(2, false);

  for (const auto& [name, tensor] : first) {
    if (name.find("running") != std::string::npos) continue;
    EXPECT_TRUE(torch::equal(tensor, second.at(name))) << name;
    // Norms are initialised with 1 and 0 for every seed.
    EXPECT_TRUE(tensor.dim() == 1 || !torch::equal(tensor, other.at(name))) << name;
  }
  EXPECT_FALSE(
      torch::equal(first.at("classifier.1.weight")[0], first.at("classifier.0.weight")[0]));
  const float bound = 1.0F / std::sqrt(16.0F);
  EXPECT_LE(first.at("classifier.0.weight").abs().max().item<float>(), bound);
  EXPECT_GT(first.at("classifier.0.weight").abs().max().item<float>(), 0.5F * bound);
}

TEST(SegmenterTest, EveryParameterGetsAGradient) {
  for (const auto& options : forms()) {
    Segmenter net(options, 1);
    net.add_classes(2, 1);
    net.add_classes(1, 1);

    const auto output = net.forward(some_images(4));
    auto loss = output.logits.square().mean();
    if (output.unknown.defined()) loss = loss + output.unknown.square().mean();
    loss.backward();

    for (const auto& parameter : net.named_parameters()) {
      ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
      EXPECT_GT(parameter.value().grad().abs().sum().item<double>(), 0)
          << parameter.key() << ' ' << text_of(options);
    }
    EXPECT_GT(net.probe_weight().grad().abs().sum().item<double>(), 0);
  }
}

TEST(SegmenterTest, TheSharedWeightIsTheLastConvolutionOfTheBackbone) {
  Segmenter basic(small(18), 0);
  Segmenter bottleneck(small(50), 0);

  EXPECT_TRUE(basic.probe_weight().is_same(named_state(basic).at("layer4.1.conv2.weight")));
  EXPECT_TRUE(
      bottleneck.probe_weight().is_same(named_state(bottleneck).at("layer4.2.conv3.weight")));
}

TEST(SegmenterTest, AFrozenCopyIsFoldedAndGivesTheSameScores) {
  for (const auto& options : forms()) {
    Segmenter net(options, 1);
    net.add_classes(2, 1);
    net.add_classes(2, 1);
    warm_up(net);
    const at::NoGradGuard no_grad;
    const auto images = some_images();
    const auto own = net.forward(images);

    const auto copy = net.frozen_copy();
    const auto other = copy->forward(images);

    const auto near = [](const at::Tensor& a, const at::Tensor& b) {
      return (a - b).abs().max().item<double>() < 1e-5 * (1 + b.abs().max().item<double>());
    };
    EXPECT_TRUE(near(other.logits, own.logits)) << text_of(options);
    EXPECT_TRUE(near(other.features, own.features)) << text_of(options);
    EXPECT_EQ(other.unknown.defined(), own.unknown.defined());
    EXPECT_TRUE(!own.unknown.defined() || near(other.unknown, own.unknown)) << text_of(options);
    EXPECT_TRUE(batch_norms(*copy).empty()) << text_of(options);
    EXPECT_FALSE(copy->parameters().front().requires_grad());
    EXPECT_THROW(copy->add_classes(1, 0), Error);
  }
}

TEST(SegmenterTest, ASkeletonHasTheSameEntriesAndCanLoadTheState) {
  for (const auto& options : forms()) {
    Segmenter net(options, 1);
    net.add_classes(2, 1);
    net.add_classes(1, 1);
    warm_up(net);

    const auto copy = net.skeleton();
    load_state(*copy, named_state(net), "the network");
    copy->eval();

    const at::NoGradGuard no_grad;
    const auto images = some_images();
    EXPECT_TRUE(torch::equal(copy->forward(images).logits, net.forward(images).logits));
    EXPECT_EQ(copy->num_classes(), 4);
    EXPECT_NO_THROW(net.frozen_copy()->skeleton());
  }
}

TEST(SegmenterTest, WeightsOfAClassifiersBackboneAreLoadedByName) {
  const ImageClassifier classifier({.backbone = {.depth = 50, .width = 4}}, 7);
  auto weights = named_state(classifier);
  weights["fc.weight"] = torch::zeros({1000, 128});
  weights["classifier.0.weight"] = torch::ones({1});  // from another run: never loaded
  Segmenter net(small(50, 16), 0);

  const auto report = load_weights(net, weights, "resnet50.pth");

  EXPECT_TRUE(report.backbone_complete()) << summary(report, "resnet50.pth");
  EXPECT_TRUE(torch::equal(named_state(net).at("layer4.2.conv3.weight"),
                           weights.at("layer4.2.conv3.weight")));
  EXPECT_EQ(summary(report, "f").find("aspp"), std::string::npos) << summary(report, "f");
}

TEST(SegmenterTest, ChannelsLastChangesNothingButRounding) {
  auto options = small();
  Segmenter plain(options, 1);
  options.channels_last = true;
  Segmenter last(options, 1);
  for (auto* net : {&plain, &last}) {
    net->add_classes(2, 1);
    warm_up(*net);
  }
  const at::NoGradGuard no_grad;
  const auto images = some_images();

  EXPECT_TRUE(
      torch::allclose(last.forward(images).logits, plain.forward(images).logits, 1e-3, 1e-4));
  EXPECT_EQ(last.forward(images).features.suggest_memory_format(), at::MemoryFormat::ChannelsLast);
}

TEST(SegmenterTest, DropoutActsInTrainingOnlyAndFollowsTheSeedOfTheStep) {
  auto options = small();
  options.dropout = 0.5;
  Segmenter net(options, 1);
  net.add_classes(2, 1);
  const auto images = some_images();
  const at::NoGradGuard no_grad;
  const auto pass = [&](uint64_t seed) {
    at::manual_seed(seed);
    return net.forward(images).logits;
  };

  EXPECT_TRUE(torch::equal(pass(3), pass(3)));
  EXPECT_FALSE(torch::equal(pass(3), pass(4)));
  net.eval();
  EXPECT_TRUE(torch::equal(pass(3), pass(4)));
}

TEST(SegmenterTest, FrozenBatchNormChangesNeitherStatisticsNorParameters) {
  Segmenter net(small(), 1);
  net.add_classes(2, 1);
  warm_up(net);
  net.train();
  StateDict before;
  for (const auto& [name, tensor] : named_state(net)) before[name] = tensor.detach().clone();

  net.set_batch_norm({.frozen = true});
  const auto logits = net.forward(some_images(4)).logits;
  logits.square().mean().backward();

  for (const auto& [name, tensor] : named_state(net)) {
    EXPECT_TRUE(torch::equal(tensor, before.at(name))) << name;
  }
  EXPECT_FALSE(named_state(net).at("bn1.weight").grad().defined());
  EXPECT_TRUE(named_state(net).at("conv1.weight").grad().defined());
  net.eval();
  EXPECT_TRUE(torch::equal(logits, net.forward(some_images(4)).logits));

  net.train();
  net.set_batch_norm({.frozen = false, .momentum = 1.0});
  const auto moved = net.forward(some_images(4)).logits;
  EXPECT_FALSE(
      torch::equal(named_state(net).at("bn1.running_mean"), before.at("bn1.running_mean")));
  EXPECT_TRUE(named_state(net).at("bn1.weight").requires_grad());
}

// TV-9 of the specification: scores 1.0 + 0.3, 0.7 and -0.2, five new classes.
TEST(BackgroundInitTest, SplitsTheProbabilityOfBackgroundEvenly) {
  const auto heads = make_pixel_heads({.init = NewClassInit::kBackground, .in = 1});
  heads->append(2);
  const auto state = named_state(*heads);
  const at::NoGradGuard no_grad;
  state.at("0.weight").copy_(torch::tensor({1.0F, 0.4F, -0.1F}).view({3, 1, 1, 1}));
  state.at("0.bias").copy_(torch::tensor({0.3F, 0.3F, -0.1F}));
  const auto map = torch::ones({1, 1, 1, 1});
  const auto before = heads->forward(map).logits.softmax(1).flatten();

  heads->append(5);
  heads->init_newest(0, "classifier.");

  const auto after = heads->forward(map).logits.softmax(1).flatten();
  EXPECT_NEAR(named_state(*heads).at("1.bias")[0].item<double>(), -1.49175947, 1e-6);
  EXPECT_NEAR(named_state(*heads).at("0.bias")[0].item<double>(), -1.49175947, 1e-6);
  const std::vector<double> expected_before = {0.564353, 0.309723, 0.125924};
  const std::vector<double> expected_after = {0.094059, 0.309723, 0.125924, 0.094059,
                                              0.094059, 0.094059, 0.094059, 0.094059};
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_NEAR(before[i].item<double>(), expected_before.at(static_cast<size_t>(i)), 1e-6);
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_NEAR(after[i].item<double>(), expected_after.at(static_cast<size_t>(i)), 1e-6);
}

TEST(BackgroundInitTest, KeepsEveryOldProbabilityAndTheFormerBackgroundMassForEveryInput) {
  auto options = small();
  options.init = NewClassInit::kBackground;
  Segmenter net(options, 3);
  net.add_classes(4, 3);
  warm_up(net);
  net.to(torch::kDouble);
  const at::NoGradGuard no_grad;
  const auto images = some_images(3).to(torch::kDouble);
  const auto before = net.forward(images).logits;

  net.add_classes(3, 3);

  const auto p = before.softmax(1);
  const auto q = net.forward(images).logits.softmax(1);
  EXPECT_TRUE(torch::allclose(q.narrow(1, 1, 4), p.narrow(1, 1, 4), 1e-10, 1e-12));
  const auto mass = q.narrow(1, 0, 1) + q.narrow(1, 5, 3).sum(1, true);
  EXPECT_TRUE(torch::allclose(mass, p.narrow(1, 0, 1), 1e-10, 1e-12));
  EXPECT_EQ(q.scalar_type(), torch::kDouble);
}

TEST(UnknownInitTest, ANewHeadEqualsTheUnknownHeadRightAfterTransfer) {
  for (const bool plus : {true, false}) {
    auto options = small_ssul();
    options.plus = plus;
    Segmenter net(options, 3);
    net.add_classes(2, 3);
    warm_up(net);

    net.add_classes(3, 3);

    const auto state = named_state(net);
    for (const auto& [name, tensor] : part_of(state, "classifier.unknown.")) {
      EXPECT_TRUE(torch::equal(state.at("classifier.1." + name),
                               tensor.expand_as(state.at("classifier.1." + name))))
          << name;
    }
    const at::NoGradGuard no_grad;
    const auto output = net.forward(some_images());
    EXPECT_EQ(output.unknown.sizes(), at::IntArrayRef({2, 1, 32, 32}));
    EXPECT_EQ(output.logits.size(1), 6);
    for (int64_t c = 3; c < 6; ++c)
      EXPECT_TRUE(torch::allclose(output.logits.narrow(1, c, 1), output.unknown, 1e-5, 1e-6));
  }
}

TEST(UnknownInitTest, ATransferredHeadSharesNoMemory) {
  Segmenter net(small_ssul(), 3);
  net.add_classes(2, 3);
  net.add_classes(1, 3);
  const at::NoGradGuard no_grad;

  named_state(net).at("classifier.1.0.weight").zero_();

  EXPECT_GT(named_state(net).at("classifier.unknown.0.weight").abs().sum().item<double>(), 0);
}

TEST(SegmenterTest, ImpossibleOptionsAreConfigErrors) {
  const auto made = [](auto change) {
    auto options = small();
    change(options);
    return Segmenter(options, 0);
  };
  EXPECT_THROW(made([](auto& o) { o.head_channels = 0; }), ConfigError);
  EXPECT_THROW(made([](auto& o) { o.dropout = 1; }), ConfigError);
  EXPECT_THROW(made([](auto& o) { o.init = NewClassInit::kUnknown; }), ConfigError);
  EXPECT_THROW(made([](auto& o) {
                 o.classifier = PixelHeadKind::kSsul;
                 o.init = NewClassInit::kBackground;
               }),
               ConfigError);
}

TEST(SegmenterTest, WithoutClassesThereAreNoScores) {
  Segmenter net(small(), 0);
  EXPECT_THROW(net.forward(some_images()), Error);
  EXPECT_THROW(net.add_classes(0, 0), Error);
}

}  // namespace
}  // namespace lethe
