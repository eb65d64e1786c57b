#include "lethe/model/classifier.h"

#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "lethe/core/error.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

const ImageClassifierOptions kSmall = {
    .backbone = {.depth = 18, .width = 4, .stem = Stem::kCifarS2, .in_channels = 1}};

std::shared_ptr<ImageClassifier> small_net(uint64_t seed = 0) {
  auto net = std::make_shared<ImageClassifier>(kSmall, seed);
  net->add_classes(3, seed);
  net->add_classes(2, seed);
  return net;
}

at::Tensor images(int64_t count = 4) {
  at::manual_seed(9);
  return torch::randn({count, 1, 32, 32});
}

// Trains a few steps, which change every parameter and the running statistics.
void train(ImageClassifier& net) {
  torch::optim::SGD optimizer(net.parameters(), 0.1);
  for (int step = 0; step < 2; ++step) {
    optimizer.zero_grad();
    net.forward(images()).logits.square().sum().backward();
    optimizer.step();
  }
}

bool same_state(const torch::nn::Module& a, const torch::nn::Module& b) {
  const auto left = named_state(a);
  const auto right = named_state(b);
  if (left.size() != right.size()) return false;
  return std::all_of(left.begin(), left.end(), [&](const auto& item) {
    return right.contains(item.first) && torch::equal(item.second, right.at(item.first));
  });
}

TEST(ImageClassifierTest, OutputsAndHeadsHaveTheExpectedShapes) {
  const auto net = small_net();

  const auto output = net->forward(images());

  EXPECT_EQ(output.features.sizes(), at::IntArrayRef({4, 32}));
  EXPECT_EQ(output.logits.sizes(), at::IntArrayRef({4, 5}));
  EXPECT_LE(output.logits.abs().max().item<double>(), 1 + 1e-6);
  EXPECT_EQ(net->num_classes(), 5);
  ASSERT_EQ(net->heads().size(), 2u);
  EXPECT_EQ(net->heads()[1].first, 3);
  EXPECT_EQ(net->heads()[1].count, 2);
  EXPECT_EQ(net->problem(), Problem::kImages);
  EXPECT_EQ(net->feature_dim(), 32);
  EXPECT_TRUE(net->device().is_cpu());
}

TEST(ImageClassifierTest, StagesEndInTheFeaturesAndTheOutputIsThatOfForward) {
  const auto net = small_net();
  net->eval();

  const auto staged = net->forward_stages(images());

  const auto output = net->forward(images());
  ASSERT_EQ(staged.stages.size(), 4u);
  for (int64_t k = 0; k < 4; ++k)
    EXPECT_EQ(staged.stages[static_cast<size_t>(k)].sizes(), at::IntArrayRef({4, 4 << k}));
  EXPECT_TRUE(torch::equal(staged.stages.back(), output.features));
  EXPECT_TRUE(torch::equal(staged.output.logits, output.logits));
}

TEST(ImageClassifierTest, BackboneNamesMatchTorchvision) {
  const auto state = named_state(*small_net());

  for (const char* name :
       {"conv1.weight", "bn1.running_mean", "layer1.0.conv1.weight",
        "layer4.0.downsample.1.running_var", "heads.0.weight", "heads.1.weight"}) {
    EXPECT_TRUE(state.contains(name)) << name;
  }
  EXPECT_EQ(state.size(), 102u);
  EXPECT_EQ(state.at("heads.1.weight").sizes(), at::IntArrayRef({2, 32}));
}

TEST(ImageClassifierTest, NamedStateSharesMemoryWithTheNetwork) {
  const auto net = small_net();
  {
    at::NoGradGuard no_grad;
    named_state(*net).at("heads.0.weight").fill_(2);
  }
  EXPECT_EQ(named_state(*net).at("heads.0.weight").sum().item<float>(), 2 * 3 * 32);
}

TEST(ImageClassifierTest, FeaturesArePooledAndNotNormalised) {
  const auto net = small_net();
  const auto output = net->forward(images());

  EXPECT_TRUE((output.features >= 0).all().item<bool>()) << "mean of a ReLU";
  const auto lengths = output.features.norm(2, 1);
  EXPECT_GT((lengths - 1).abs().max().item<double>(), 0.01);
}

TEST(ImageClassifierTest, TheSeedDeterminesEveryBit) {
  EXPECT_TRUE(same_state(*small_net(1), *small_net(1)));
  const auto a = named_state(*small_net(1));
  const auto b = named_state(*small_net(2));
  EXPECT_FALSE(torch::equal(a.at("conv1.weight"), b.at("conv1.weight")));
  EXPECT_FALSE(torch::equal(a.at("layer4.1.conv2.weight"), b.at("layer4.1.conv2.weight")));
  EXPECT_FALSE(torch::equal(a.at("heads.0.weight"), b.at("heads.0.weight")));
}

TEST(ImageClassifierTest, NewClassesLeaveEverythingElseUntouched) {
  const auto net = small_net();
  train(*net);
  std::map<std::string, at::Tensor> before;
  for (const auto& [name, tensor] : named_state(*net)) before[name] = tensor.detach().clone();
  net->eval();
  const auto logits = net->forward(images()).logits;

  net->add_classes(4, 0);

  for (const auto& [name, tensor] : before) {
    EXPECT_TRUE(torch::equal(named_state(*net).at(name), tensor)) << name;
  }
  const auto grown = net->forward(images()).logits;
  EXPECT_EQ(grown.size(1), 9);
  EXPECT_TRUE(torch::allclose(grown.slice(1, 0, 5), logits, 1e-5, 1e-6));
}

TEST(ImageClassifierTest, ANewHeadDoesNotDependOnWhatHappenedBefore) {
  const auto early = small_net();

  auto late = std::make_shared<ImageClassifier>(kSmall, 0);
  late->add_classes(7, 0);
  train(*late);
  torch::rand({17});
  late->add_classes(2, 0);

  EXPECT_TRUE(torch::equal(named_state(*early).at("heads.1.weight"),
                           named_state(*late).at("heads.1.weight")));
}

TEST(ImageClassifierTest, AFrozenCopyEqualsEvaluationAndHasNoGradients) {
  const auto net = small_net();
  train(*net);
  net->eval();
  const auto expected = net->forward(images());

  const auto copy = net->frozen_copy();
  const auto output = copy->forward(images());

  EXPECT_LT((output.features - expected.features).abs().max().item<double>(), 1e-5);
  EXPECT_LT((output.logits - expected.logits).abs().max().item<double>(), 1e-5);
  EXPECT_FALSE(output.logits.requires_grad());
  EXPECT_FALSE(copy->is_training());
  for (const auto& parameter : copy->parameters()) EXPECT_FALSE(parameter.requires_grad());
  EXPECT_EQ(copy->num_classes(), 5);
  EXPECT_THROW(copy->add_classes(1, 0), Error);
}

TEST(ImageClassifierTest, AFrozenCopyDoesNotFollowLaterTraining) {
  const auto net = small_net();
  const auto copy = net->frozen_copy();
  const auto before = copy->forward(images()).logits;

  train(*net);
  net->add_classes(2, 0);

  EXPECT_TRUE(torch::equal(copy->forward(images()).logits, before));
  EXPECT_TRUE(net->is_training());
  EXPECT_TRUE(net->parameters().front().requires_grad());
}

TEST(ImageClassifierTest, ACopyOfACopyIsTheSame) {
  const auto first = small_net()->frozen_copy();
  const auto second = first->frozen_copy();

  EXPECT_TRUE(same_state(*first, *second));
  EXPECT_TRUE(torch::equal(first->forward(images()).logits, second->forward(images()).logits));
}

TEST(ImageClassifierTest, AFrozenCopyKeepsItsDtype) {
  const auto net = small_net();
  net->to(torch::kFloat64);
  net->add_classes(1, 0);

  const auto copy = net->frozen_copy();

  for (const auto& [name, tensor] : named_state(*copy)) {
    EXPECT_EQ(tensor.scalar_type(), torch::kFloat64) << name;
  }
  EXPECT_EQ(copy->forward(images().to(torch::kFloat64)).logits.size(1), 6);
}

TEST(ImageClassifierTest, ASkeletonHasTheSameEntriesAndIsIndependent) {
  const auto net = small_net();
  const auto skeleton = net->skeleton();

  const auto own = named_state(*net);
  const auto other = named_state(*skeleton);
  ASSERT_EQ(own.size(), other.size());
  for (const auto& [name, tensor] : own) {
    EXPECT_EQ(other.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_NE(other.at(name).data_ptr(), tensor.data_ptr()) << name;
  }
  EXPECT_EQ(skeleton->num_classes(), 5);
}

TEST(ImageClassifierTest, ChannelsLastChangesNothingButRounding) {
  for (const int64_t channels : {1, 3}) {
    auto options = kSmall;
    options.backbone.in_channels = channels;
    const auto plain = std::make_shared<ImageClassifier>(options, 0);
    options.channels_last = true;
    const auto last = std::make_shared<ImageClassifier>(options, 0);
    plain->add_classes(3, 0);
    last->add_classes(3, 0);
    at::manual_seed(1);
    const auto input = torch::randn({4, channels, 32, 32});

    EXPECT_TRUE(same_state(*plain, *last));
    EXPECT_TRUE(
        torch::allclose(plain->forward(input).features, last->forward(input).features, 1e-4, 1e-5));
    const auto kernel = named_state(*last).at("layer1.0.conv1.weight");
    EXPECT_TRUE(kernel.is_contiguous(at::MemoryFormat::ChannelsLast));
    const auto copy = named_state(*last->frozen_copy());
    EXPECT_TRUE(copy.at("layer1.0.conv1.weight").is_contiguous(at::MemoryFormat::ChannelsLast));
  }
}

TEST(ImageClassifierTest, WithoutClassesForwardIsAnError) {
  ImageClassifier net(kSmall, 0);
  EXPECT_THROW(net.forward(images()), Error);
  EXPECT_EQ(net.num_classes(), 0);
}

TEST(ImageClassifierTest, RunsOnCudaIfAvailable) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const auto net = small_net();
  net->to(torch::Device(torch::kCUDA));
  net->add_classes(2, 0);

  const auto copy = net->frozen_copy();

  EXPECT_TRUE(copy->device().is_cuda());
  EXPECT_TRUE(named_state(*net).at("heads.2.weight").is_cuda());
  EXPECT_EQ(copy->forward(images().to(torch::kCUDA)).logits.size(1), 7);
}

}  // namespace
}  // namespace lethe
