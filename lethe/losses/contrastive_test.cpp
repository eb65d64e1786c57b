#include "lethe/losses/contrastive.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/tv10.h"

namespace lethe {
namespace {

using test::ids;
using test::points;
using test::TV10;

const ClassSet kKept = {0, 1};
const ClassSet kForgotten = {2};
constexpr double kPrinted = 1e-6;  // six digits after the point

constexpr ContrastiveLossOptions kL2Sum = {.distance = Distance::kL2, .reduce = RowReduce::kSum};
constexpr ContrastiveLossOptions kL2Mean = {.distance = Distance::kL2};
constexpr ContrastiveLossOptions kMseMean = {.distance = Distance::kMse};
constexpr ContrastiveLossOptions kFro = {.distance = Distance::kFrobenius};

at::Tensor prototypes_of(const TV10& tv, const ClassGroups& groups) {
  return tv.updated.index_select(0, groups.classes);
}

double attraction(const ContrastiveLossOptions& options, bool per_image = false) {
  const TV10 tv;
  const auto groups = select(
      group_by_class(tv.features, tv.labels, {}, per_image ? tv.images : at::Tensor()), kKept);
  return attraction_loss(groups, prototypes_of(tv, groups), options).item<double>();
}

double dispersion(const ContrastiveLossOptions& options) {
  const TV10 tv;
  const auto groups = select(group_by_class(tv.features, tv.labels), kForgotten);
  return dispersion_loss(groups, prototypes_of(tv, groups), options).item<double>();
}

TEST(ContrastiveLossTest, TV10Attraction) {
  EXPECT_NEAR(attraction(kL2Sum), 2.840187, kPrinted);
  EXPECT_NEAR(attraction(kL2Mean), 1.088368, kPrinted);
  EXPECT_NEAR(attraction(kFro), 1.884727, kPrinted);
  EXPECT_NEAR(attraction(kMseMean), 0.729938, kPrinted);
  EXPECT_NEAR(attraction(kL2Sum, /*per_image=*/true), 1.420093, kPrinted);
}

TEST(ContrastiveLossTest, TV10AttractionOfAllClassesIsTheMeanOfSdrsClustering) {
  const TV10 tv;
  const auto groups = group_by_class(tv.features, tv.labels);

  EXPECT_NEAR(attraction_loss(groups, tv.updated, kMseMean).item<double>(), 0.903292, kPrinted);
}

TEST(ContrastiveLossTest, TV10Dispersion) {
  EXPECT_NEAR(dispersion(kL2Sum), 3.009675, kPrinted);
  EXPECT_NEAR(dispersion(kL2Mean), 1.003225, kPrinted);
  EXPECT_NEAR(dispersion(kMseMean), 2.827514, kPrinted);
  EXPECT_NEAR(dispersion({.distance = Distance::kMse, .inverse = Inverse::kPerClass}), 0.8,
              kPrinted);
  EXPECT_NEAR(dispersion(kFro), 0.365148, kPrinted);
}

TEST(ContrastiveLossTest, TV10DispersionInAProjectedSpace) {
  const TV10 tv;
  auto groups = select(group_by_class(tv.features, tv.labels), kForgotten);
  const auto weight = at::full({1, 2}, 0.5, at::kDouble);
  const auto prototypes = prototypes_of(tv, groups).matmul(weight.t());
  groups.features = groups.features.matmul(weight.t());

  EXPECT_NEAR(dispersion_loss(groups, prototypes, kL2Mean).item<double>(), 2.65, kPrinted);
}

TEST(ContrastiveLossTest, TV10Separation) {
  const TV10 tv;
  const auto all = group_by_class(tv.features, tv.labels);
  const auto anchors = ids({1, 1, 0}).to(at::kBool);
  const auto kept = select(all, kKept);
  const auto everyone = ids({1, 1, 1}).to(at::kBool);

  EXPECT_NEAR(separation_loss(all.means(), anchors, PairReduce::kPrinted, 1e-2).item<double>(),
              0.541353, kPrinted);
  EXPECT_NEAR(separation_loss(kept.means(), ids({1, 1}).to(at::kBool), PairReduce::kPrinted, 1e-2)
                  .item<double>(),
              0.311925, kPrinted);
  EXPECT_NEAR(separation_loss(all.means(), anchors, PairReduce::kPairs, 1e-2).item<double>(),
              0.256927, kPrinted);
  EXPECT_NEAR(separation_loss(all.means(), everyone, PairReduce::kPrinted, 1e-2).item<double>(),
              0.513853, kPrinted);
}

TEST(ContrastiveLossTest, TV10PullToTheBackground) {
  const TV10 tv;
  const auto groups = select(group_by_class(tv.features, tv.labels), kForgotten);
  const auto background = tv.updated[0];

  EXPECT_NEAR(background_loss(groups, background, kL2Sum).item<double>(), 11.818577, kPrinted);
  EXPECT_NEAR(background_loss(groups, background, kL2Mean).item<double>(), 3.939526, kPrinted);
  EXPECT_NEAR(background_loss(groups, background, kMseMean).item<double>(), 8.138889, kPrinted);
}

TEST(ContrastiveLossTest, TV10PrototypeConsistency) {
  const TV10 tv;
  const auto means = group_by_class(tv.features, tv.labels).means();
  const auto of = [&](const std::vector<int64_t>& classes, const at::Tensor& prototypes,
                      Distance distance) {
    const auto index = ids(classes);
    return prototype_loss(means.index_select(0, index), prototypes.index_select(0, index), distance)
        .item<double>();
  };

  EXPECT_NEAR(of({1}, tv.updated, Distance::kL2), 0.801234, kPrinted);
  EXPECT_NEAR(of({2}, tv.updated, Distance::kL2), 0.971825, kPrinted);
  EXPECT_NEAR(of({1, 2}, tv.updated, Distance::kL2), 0.886529, kPrinted);
  EXPECT_NEAR(of({1, 2}, tv.updated, Distance::kMse), 0.396605, kPrinted);
  EXPECT_NEAR(of({1}, tv.updated, Distance::kMse), 0.320988, kPrinted);
  EXPECT_NEAR(of({1, 2}, tv.stored, Distance::kMse), 1.305556, kPrinted);
}

TEST(ContrastiveLossTest, TV10Gradients) {
  TV10 tv;
  const auto gradient = [&](const std::function<at::Tensor(const ClassGroups&)>& loss) {
    auto features = tv.features.clone().requires_grad_();
    loss(group_by_class(features, tv.labels)).backward();
    return features.grad();
  };
  const auto expect_row = [](const at::Tensor& row, double x, double y) {
    EXPECT_NEAR(row[0].item<double>(), x, kPrinted);
    EXPECT_NEAR(row[1].item<double>(), y, kPrinted);
  };
  const auto attract = [&](const ContrastiveLossOptions& options) {
    return gradient([&](const ClassGroups& all) {
      const auto groups = select(all, kKept);
      return attraction_loss(groups, prototypes_of(tv, groups), options);
    });
  };
  expect_row(attract(kMseMean)[2], -0.037037, 0.277778);
  expect_row(attract(kL2Mean)[2], -0.022027, 0.165205);

  const auto disperse = gradient([&](const ClassGroups& all) {
    const auto groups = select(all, kForgotten);
    return dispersion_loss(groups, prototypes_of(tv, groups), kL2Mean);
  });
  expect_row(disperse[3], 1.138420, -0.379473);
  expect_row(disperse[6], -0.145446, -0.016161);
  expect_row(disperse[7], -0.015159, -0.065689);
  // No gradient to rows of other classes.
  EXPECT_EQ(disperse.index_select(0, ids({0, 1, 2, 4, 5})).abs().sum().item<double>(), 0);

  const auto separate = gradient([&](const ClassGroups& all) {
    return separation_loss(all.means(), ids({1, 1, 0}).to(at::kBool), PairReduce::kPrinted, 1e-2);
  });
  expect_row(separate[5], -0.036805, 0.001499);

  auto means = points({0.5, 0.5, 3.0 + 2.0 / 3, 1, 1, 4.0 + 2.0 / 3}).requires_grad_();
  separation_loss(means, ids({1, 1, 1}).to(at::kBool), PairReduce::kPairs, 1e-2).backward();
  EXPECT_TRUE(at::allclose(means.grad(),
                           points({0.034291, 0.023851, -0.041573, 0.008056, 0.007283, -0.031907}),
                           0, kPrinted));
}

// Every loss as a function of the features alone.
std::vector<std::pair<const char*, std::function<at::Tensor(const at::Tensor&)>>> losses() {
  std::vector<std::pair<const char*, std::function<at::Tensor(const at::Tensor&)>>> all;
  const auto with = [](const ContrastiveLossOptions& options, bool per_image, bool disperse) {
    return [=](const at::Tensor& features) {
      const TV10 tv;
      const auto groups =
          group_by_class(features, tv.labels, {}, per_image ? tv.images : at::Tensor());
      const auto prototypes = tv.updated.index_select(0, groups.classes);
      return disperse ? dispersion_loss(groups, prototypes, options)
                      : attraction_loss(groups, prototypes, options);
    };
  };
  for (const bool disperse : {false, true}) {
    for (const bool per_image : {false, true}) {
      all.emplace_back("l2 sum", with(kL2Sum, per_image, disperse));
      all.emplace_back("l2 mean", with(kL2Mean, per_image, disperse));
      all.emplace_back("mse", with(kMseMean, per_image, disperse));
      all.emplace_back("fro", with(kFro, per_image, disperse));
      all.emplace_back(
          "per class",
          with({.distance = Distance::kMse, .inverse = Inverse::kPerClass}, per_image, disperse));
    }
  }
  for (const auto reduce : {PairReduce::kPrinted, PairReduce::kPairs}) {
    all.emplace_back("separation", [reduce](const at::Tensor& features) {
      const TV10 tv;
      return separation_loss(group_by_class(features, tv.labels).means(),
                             ids({1, 1, 0}).to(at::kBool), reduce, 1e-2);
    });
  }
  for (const auto distance : {Distance::kL2, Distance::kMse}) {
    all.emplace_back("prototype", [distance](const at::Tensor& features) {
      const TV10 tv;
      return prototype_loss(group_by_class(features, tv.labels).means(), tv.updated, distance);
    });
  }
  all.emplace_back("background", [](const at::Tensor& features) {
    const TV10 tv;
    return background_loss(select(group_by_class(features, tv.labels), kForgotten), tv.updated[0],
                           kL2Mean);
  });
  return all;
}

TEST(ContrastiveLossTest, GradientsEqualFiniteDifferences) {
  const double h = 1e-6;
  for (const auto& [name, loss] : losses()) {
    auto features = TV10().features.requires_grad_();
    loss(features).backward();
    for (int64_t i = 0; i < features.numel(); ++i) {
      auto up = features.detach().clone();
      auto down = up.clone();
      up.view(-1)[i] += h;
      down.view(-1)[i] -= h;
      const double slope = (loss(up) - loss(down)).item<double>() / (2 * h);
      EXPECT_NEAR(features.grad().view(-1)[i].item<double>(), slope, 1e-6 * (1 + std::abs(slope)))
          << name << ", entry " << i;
    }
  }
}

TEST(ContrastiveLossTest, TheOrderOfRowsDoesNotMatter) {
  const TV10 tv;
  const auto order = ids({7, 2, 5, 0, 3, 6, 1, 4});
  const auto groups = group_by_class(tv.features, tv.labels);
  const auto shuffled =
      group_by_class(tv.features.index_select(0, order), tv.labels.index_select(0, order));

  EXPECT_NEAR(attraction_loss(groups, tv.updated, kL2Mean).item<double>(),
              attraction_loss(shuffled, tv.updated, kL2Mean).item<double>(), 1e-12);
  EXPECT_NEAR(dispersion_loss(groups, tv.updated, kL2Mean).item<double>(),
              dispersion_loss(shuffled, tv.updated, kL2Mean).item<double>(), 1e-12);
}

TEST(ContrastiveLossTest, ACommonTranslationAndRotationChangeNothing) {
  const TV10 tv;
  const double angle = 0.7;
  const auto turn = points({std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)});
  const auto moved = [&](const at::Tensor& x) { return x.matmul(turn.t()) + 3.5; };
  const auto groups = group_by_class(tv.features, tv.labels);
  const auto there = group_by_class(moved(tv.features), tv.labels);
  const auto anchors = ids({1, 1, 0}).to(at::kBool);
  for (const auto& options : {kL2Sum, kL2Mean, kMseMean, kFro}) {
    EXPECT_NEAR(attraction_loss(groups, tv.updated, options).item<double>(),
                attraction_loss(there, moved(tv.updated), options).item<double>(), 1e-10);
    EXPECT_NEAR(dispersion_loss(groups, tv.updated, options).item<double>(),
                dispersion_loss(there, moved(tv.updated), options).item<double>(), 1e-10);
  }
  EXPECT_NEAR(separation_loss(groups.means(), anchors, PairReduce::kPrinted, 1e-2).item<double>(),
              separation_loss(there.means(), anchors, PairReduce::kPrinted, 1e-2).item<double>(),
              1e-10);
}

TEST(ContrastiveLossTest, ScalesAsTheDistanceDoes) {
  const TV10 tv;
  const double s = 3;
  const auto groups = group_by_class(tv.features, tv.labels);
  const auto scaled = group_by_class(s * tv.features, tv.labels);
  const auto ratio = [&](auto loss, const ContrastiveLossOptions& options) {
    return loss(scaled, s * tv.updated, options).template item<double>() /
           loss(groups, tv.updated, options).template item<double>();
  };

  EXPECT_NEAR(ratio(attraction_loss, kL2Mean), s, 1e-9);
  EXPECT_NEAR(ratio(attraction_loss, kMseMean), s * s, 1e-9);
  EXPECT_NEAR(ratio(dispersion_loss, kL2Mean), 1 / s, 1e-9);
  EXPECT_NEAR(ratio(dispersion_loss, kMseMean), 1 / (s * s), 1e-9);
}

TEST(ContrastiveLossTest, NothingToCompareIsExactlyZeroWithoutNaN) {
  const TV10 tv;
  const auto none = select(group_by_class(tv.features, tv.labels), ClassSet{9});
  const auto no_prototypes = at::empty({0, 2}, at::kDouble);

  for (const auto& options : {kL2Sum, kL2Mean, kMseMean, kFro}) {
    EXPECT_EQ(attraction_loss(none, no_prototypes, options).item<double>(), 0);
    EXPECT_EQ(dispersion_loss(none, no_prototypes, options).item<double>(), 0);
  }
  EXPECT_EQ(prototype_loss(no_prototypes, no_prototypes, Distance::kL2).item<double>(), 0);
  const auto one = points({1, 2});
  EXPECT_EQ(separation_loss(one, ids({1}).to(at::kBool), PairReduce::kPrinted, 1e-2).item<double>(),
            0);
}

TEST(ContrastiveLossTest, AttractionIsZeroAtThePrototypeWithAZeroGradient) {
  for (const auto& options : {kL2Mean, kMseMean, kFro}) {
    auto features = points({2, 3, 2, 3}).requires_grad_();
    const auto loss =
        attraction_loss(group_by_class(features, ids({0, 0})), points({2, 3}), options);
    loss.backward();
    EXPECT_EQ(loss.item<double>(), 0);
    EXPECT_EQ(features.grad().abs().sum().item<double>(), 0);  // not NaN
  }
}

TEST(ContrastiveLossTest, DispersionIsBoundedAndBelowTheFloorItsGradientKeepsDirectionAndSize) {
  const double floor = 0.1;
  const ContrastiveLossOptions l2 = {.distance = Distance::kL2, .floor = floor};
  const ContrastiveLossOptions mse = {.distance = Distance::kMse, .floor = floor};
  const auto at_distance = [&](double distance, const ContrastiveLossOptions& options) {
    auto features = points({distance * 0.6, distance * 0.8}).requires_grad_();
    const auto loss = dispersion_loss(group_by_class(features, ids({0})), points({0, 0}), options);
    loss.backward();
    return std::pair{loss.item<double>(), features.grad()[0].clone()};
  };
  const auto [value, slope] = at_distance(0.01, l2);
  EXPECT_NEAR(value, 1 / floor, 1e-9);
  EXPECT_NEAR(slope[0].item<double>(), -0.6 / (floor * floor), 1e-6);
  EXPECT_NEAR(slope[1].item<double>(), -0.8 / (floor * floor), 1e-6);
  // mse: C / d^2, whose slope at the floor is 2 C / floor^3.
  const auto [mse_value, mse_slope] = at_distance(0.01, mse);
  EXPECT_NEAR(mse_value, 2 / (floor * floor), 1e-6);
  EXPECT_NEAR(mse_slope[0].item<double>(), -0.6 * 4 / (floor * floor * floor), 1e-3);
  // Near rows are pushed harder; the push tends to 0 far away.
  EXPECT_GT(at_distance(0.2, l2).second.norm().item<double>(),
            at_distance(0.4, l2).second.norm().item<double>());
  EXPECT_LT(at_distance(1e6, l2).first, 1e-5);
  // Exactly at the prototype there is no direction: the gradient is 0.
  EXPECT_EQ(at_distance(0, l2).second.abs().sum().item<double>(), 0);
}

TEST(ContrastiveLossTest, PerClassTheFarRowsArePushedHarder) {
  auto features = points({1, 0, 3, 0}).requires_grad_();
  dispersion_loss(group_by_class(features, ids({0, 0})), points({0, 0}),
                  {.distance = Distance::kMse, .inverse = Inverse::kPerClass})
      .backward();

  EXPECT_GT(features.grad()[1].norm().item<double>(), features.grad()[0].norm().item<double>());
}

TEST(ContrastiveLossTest, SeparationFallsWhenMeansMoveApartAndIsFiniteWhenTheyCoincide) {
  const auto both = ids({1, 1}).to(at::kBool);
  const auto at_distance = [&](double distance) {
    auto means = points({0, 0, distance, 0}).requires_grad_();
    const auto loss = separation_loss(means, both, PairReduce::kPrinted, 1e-2);
    loss.backward();
    EXPECT_TRUE(means.grad().isfinite().all().item<bool>());
    return loss.item<double>();
  };

  EXPECT_GT(at_distance(1), at_distance(2));
  EXPECT_NEAR(at_distance(0), 2 * 100 / 2.0, 1e-9);
}

TEST(ContrastiveLossTest, TheGradientOfPrototypeConsistencyIsSpreadEquallyOverTheRows) {
  auto features = points({1, 0, 3, 0, 2, 6}).requires_grad_();
  prototype_loss(group_by_class(features, ids({4, 4, 4})).means(), points({0, 0}), Distance::kL2)
      .backward();

  EXPECT_TRUE(at::allclose(features.grad()[0], features.grad()[1]));
  EXPECT_TRUE(at::allclose(features.grad()[0], features.grad()[2]));
}

}  // namespace
}  // namespace lethe
