// Erased classes, in all networks.
#include "lethe/model/network.h"

#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "lethe/core/error.h"
#include "lethe/model/classifier.h"
#include "lethe/model/segmenter.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

// A network with classes 1, 2 and 3, 4 (classification: also 0, segmentation: 0 is background).
std::shared_ptr<Network> make(const std::string& kind) {
  std::shared_ptr<Network> net;
  if (kind == "images") {
    net = std::make_shared<ImageClassifier>(
        ImageClassifierOptions{.backbone = {.depth = 18, .width = 4, .stem = Stem::kCifarS2}}, 0);
    net->add_classes(3, 0);
  } else {
    SegmenterOptions options = {.backbone = {.depth = 18, .width = 4, .output_stride = 8},
                                .head_channels = 16,
                                .init = NewClassInit::kBackground,
                                .dropout = 0};
    if (kind == "ssul") {
      options.classifier = PixelHeadKind::kSsul;
      options.init = NewClassInit::kUnknown;
    }
    net = std::make_shared<Segmenter>(options, 0);
    net->add_classes(2, 0);
  }
  net->add_classes(2, 0);
  return net;
}

const std::vector<std::string> kKinds = {"images", "masks", "ssul"};

at::Tensor images() {
  at::manual_seed(4);
  return torch::randn({4, 3, 32, 32});
}

StateDict copy_of(const Network& net) {
  StateDict copy;
  for (const auto& [name, tensor] : named_state(net)) copy[name] = tensor.detach().clone();
  return copy;
}

// The largest value among the rows of a class.
double largest_of(const Network& net, ClassId id) {
  double largest = 0;
  for (const auto& entry : net.class_entries()) {
    const auto& ids = entry.classes.ids();
    const auto found = std::find(ids.begin(), ids.end(), id);
    if (!entry.per_row || found == ids.end()) continue;
    const auto row = named_state(net).at(entry.name)[found - ids.begin()];
    largest = std::max(largest, row.abs().max().item<double>());
  }
  return largest;
}

// Steps whose loss uses every logit.
void train(Network& net, int steps) {
  torch::optim::SGD optimizer(net.parameters(),
                              torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(0.01));
  net.train();
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    const auto logits = net.forward(images()).logits;
    (logits.log_softmax(1).select(1, 3).mean() + 1e-4 * logits.square().mean()).backward();
    optimizer.step();
  }
}

TEST(ErasedClassesTest, EveryRowOfTheClassifierBelongsToAClass) {
  for (const auto& kind : kKinds) {
    const auto net = make(kind);
    ClassSet with_rows;
    for (const auto& entry : net->class_entries()) {
      ASSERT_TRUE(named_state(*net).contains(entry.name)) << kind << ' ' << entry.name;
      EXPECT_TRUE(net->is_head_parameter(entry.name)) << entry.name;
      if (!entry.per_row) continue;
      EXPECT_EQ(named_state(*net).at(entry.name).size(0), entry.classes.size()) << entry.name;
      with_rows = with_rows | entry.classes;
    }
    EXPECT_EQ(with_rows | ClassSet{0}, ClassSet::range(0, net->num_classes())) << kind;
  }
}

TEST(ErasedClassesTest, RowsAreZeroAndTheScoreIsTheLowestWhileAllElseStays) {
  for (const auto& kind : kKinds) {
    const auto net = make(kind);
    train(*net, 1);
    net->eval();
    const auto before = copy_of(*net);
    const auto scores = net->forward(images());

    net->erase({2});

    EXPECT_EQ(net->erased(), ClassSet{2});
    EXPECT_EQ(largest_of(*net, 2), 0) << kind;
    EXPECT_GT(largest_of(*net, 1), 0) << kind;
    const auto output = net->forward(images());
    EXPECT_TRUE((output.logits.select(1, 2) == kErasedLogit).all().item<bool>()) << kind;
    EXPECT_FALSE((output.logits.argmax(1) == 2).any().item<bool>()) << kind;
    for (const int64_t other : {0, 1, 3, 4})
      EXPECT_TRUE(output.logits.select(1, other).equal(scores.logits.select(1, other))) << kind;
    EXPECT_TRUE(output.features.equal(scores.features));
    auto changed = copy_of(*net);
    for (const auto& entry : net->class_entries()) changed.erase(entry.name);
    for (const auto& [name, tensor] : changed) EXPECT_TRUE(tensor.equal(before.at(name))) << name;
  }
}

TEST(ErasedClassesTest, TrainingWithMomentumAndWeightDecayDoesNotReviveThem) {
  for (const auto& kind : kKinds) {
    const auto net = make(kind);
    train(*net, 1);
    net->erase({1, 4});
    const double other = largest_of(*net, 2);

    train(*net, 4);

    for (const ClassId id : {1, 4}) EXPECT_EQ(largest_of(*net, id), 0) << kind << ' ' << id;
    EXPECT_NE(largest_of(*net, 2), other) << kind;
    for (const auto& [name, tensor] : named_state(*net))
      EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << kind << ' ' << name;
  }
}

TEST(ErasedClassesTest, TheirRowsGetNoGradient) {
  const auto net = make("images");
  net->erase({1});

  net->forward(images()).logits.sum().backward();

  const auto slope = named_state(*net).at("heads.0.weight").grad();
  EXPECT_EQ(slope[1].abs().max().item<double>(), 0);
  EXPECT_GT(slope[0].abs().max().item<double>(), 0);
  EXPECT_LT(slope.abs().max().item<double>(), 1e3);
}

TEST(ErasedClassesTest, TheyStayErasedWhenClassesAreAddedAndInCopies) {
  for (const auto& kind : kKinds) {
    const auto net = make(kind);
    net->erase({2});
    net->forward(images());

    net->add_classes(2, 0);

    const auto copy = net->frozen_copy();
    const auto second = copy->frozen_copy();
    for (const auto& one : {net, copy, second, net->skeleton()}) {
      EXPECT_EQ(one->erased(), ClassSet{2}) << kind;
      one->eval();
      const auto logits = one->forward(images()).logits;
      EXPECT_EQ(logits.size(1), 7);
      EXPECT_TRUE((logits.select(1, 2) == kErasedLogit).all().item<bool>()) << kind;
      for (const int64_t other : {0, 1, 3, 4, 5, 6})
        EXPECT_GT(logits.select(1, other).min().item<double>(), kErasedLogit / 2) << kind;
    }
    EXPECT_EQ(largest_of(*copy, 2), 0) << kind;
    EXPECT_GT(largest_of(*net, 5), 0) << kind;
  }
}

TEST(ErasedClassesTest, ALoadedModelIsMaskedWithoutAChangeOfItsValues) {
  const auto net = make("masks");
  const auto before = copy_of(*net);

  net->mask({1});
  net->mask({3});

  EXPECT_EQ(net->erased(), (ClassSet{1, 3}));
  for (const auto& [name, tensor] : copy_of(*net)) EXPECT_TRUE(tensor.equal(before.at(name)));
  const auto answers = net->forward(images()).logits.argmax(1);
  EXPECT_FALSE(((answers == 1) | (answers == 3)).any().item<bool>());
}

TEST(ErasedClassesTest, AnSsulHeadIsZeroOnceAllItsClassesAreErased) {
  const auto net = make("ssul");
  train(*net, 1);
  const auto largest = [&] { return named_state(*net).at("classifier.0.0.weight").abs().max(); };

  net->erase({1});
  EXPECT_GT(largest().item<double>(), 0);
  net->erase({2});

  for (const auto& [name, tensor] : named_state(*net)) {
    const auto values = tensor.count_nonzero().item<int64_t>();
    if (name.starts_with("classifier.0.")) {
      EXPECT_EQ(values, 0) << name;
    } else if (name.starts_with("classifier.1.")) {
      EXPECT_GT(values, 0) << name;
    }
  }
  train(*net, 2);
  EXPECT_EQ(largest().item<double>(), 0);
  EXPECT_TRUE(net->frozen_copy()->forward(images()).logits.isfinite().all().item<bool>());
}

TEST(ErasedClassesTest, BackgroundAndUnknownClassesAreErrors) {
  for (const auto& kind : kKinds) {
    const auto net = make(kind);
    EXPECT_THROW(net->erase({5}), Error) << kind;
    EXPECT_THROW(net->mask({-1}), Error) << kind;
    if (kind == "images") continue;
    EXPECT_THROW(net->erase({0}), Error) << kind;
    EXPECT_THROW(net->mask({0}), Error) << kind;
  }
  EXPECT_TRUE(make("images")->erased().empty());
}

TEST(ErasedClassesTest, TheMaskFollowsTheDevice) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  for (const auto& kind : kKinds) {
    const auto net = make(kind);
    net->erase({2});
    net->forward(images());

    net->to(torch::Device(torch::kCUDA));

    const auto logits = net->forward(images().to(torch::kCUDA)).logits;
    EXPECT_TRUE((logits.select(1, 2) == kErasedLogit).all().item<bool>()) << kind;
    EXPECT_EQ(net->frozen_copy()->erased(), ClassSet{2});
  }
}

}  // namespace
}  // namespace lethe
