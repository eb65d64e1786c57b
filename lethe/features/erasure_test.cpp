#include "lethe/features/erasure.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

// Six classes in eight dimensions; classes 1 and 4 are forgotten. 600 samples whose class means and
// mean covariance within a class are exactly those of the input.
class ErasureTest : public testing::Test {
 protected:
  static constexpr int64_t kClasses = 6, kDim = 8, kPerClass = 100;

  void SetUp() override {
    at::manual_seed(1);
    const auto means = at::randn({kClasses, kDim}, at::kDouble);
    const auto mix = at::randn({kDim, kDim}, at::kDouble);
    for (int64_t c = 0; c < kClasses; ++c) {
      auto noise = at::randn({kPerClass, kDim}, at::kDouble).matmul(mix);
      samples_.push_back(noise - noise.mean(0) + means[c]);
      within_ = within_ + centred(samples_.back()).t().matmul(centred(samples_.back())) /
                              static_cast<double>(kPerClass * kClasses);
    }
    means_ = means;
  }

  static at::Tensor centred(const at::Tensor& rows) { return rows - rows.mean(0); }
  Erasure erasure(const at::Tensor& forgotten, double ridge = 0) const {
    return Erasure({.means = means_, .within = within_, .forgotten = forgotten, .ridge = ridge});
  }
  at::Tensor all() const { return at::cat(samples_); }
  // [600, kClasses]
  static at::Tensor one_hot() {
    return at::eye(kClasses, at::kDouble).repeat_interleave(kPerClass, 0);
  }
  at::Tensor total() const { return centred(all()).t().matmul(centred(all())) / 600; }

  std::vector<at::Tensor> samples_;
  at::Tensor means_;
  at::Tensor within_ = at::zeros({kDim, kDim}, at::kDouble);
  at::Tensor forgotten_ = at::tensor({0, 1, 0, 0, 1, 0}) > 0;
};

TEST_F(ErasureTest, NoLinearClassifierFindsTheForgottenClasses) {
  const auto erased = erasure(forgotten_).apply(all());

  // Features and indicators of forgotten classes are uncorrelated, so the least-squares classifier,
  // for "is it one of them" and for "which one", gives every sample the same score.
  const auto indicators = centred(one_hot()).index_select(1, at::tensor({1, 4}));
  EXPECT_LT(centred(erased).t().matmul(indicators).abs().max().item<double>() / 600, 1e-10);
  // The scores of the other classes still differ.
  const auto others = centred(one_hot()).index_select(1, at::tensor({0, 2, 3, 5}));
  EXPECT_GT(centred(erased).t().matmul(others).abs().max().item<double>() / 600, 0.01);
}

TEST_F(ErasureTest, RidgeAndDiscriminantProbesAreAtChance) {
  const auto balanced = [&](const at::Tensor& rows, const at::Tensor& is_positive) {
    const auto x = centred(rows);
    const auto covariance = x.t().matmul(x) / 600 + 0.01 * at::eye(kDim, at::kDouble);
    const auto one = is_positive.to(at::kDouble);
    const auto target = one / one.sum() - (1 - one) / (1 - one).sum();
    const auto weight = at::linalg_solve(covariance, x.t().matmul(target));
    const auto score = x.matmul(weight);
    const auto middle = (score.masked_select(is_positive).mean() +
                         score.masked_select(is_positive.logical_not()).mean()) /
                        2;
    const auto found = score > middle;
    return 0.5 *
           (found.masked_select(is_positive).to(at::kDouble).mean() +
            found.masked_select(is_positive.logical_not()).logical_not().to(at::kDouble).mean())
               .item<double>();
  };
  const auto classes = at::arange(kClasses).repeat_interleave(kPerClass);
  const auto positive = (classes == 1) | (classes == 4);
  const auto erased = erasure(forgotten_).apply(all());

  EXPECT_GT(balanced(all(), positive), 0.7);
  // A weight of zero is exact only up to rounding: the probe separates rounding errors.
  EXPECT_NEAR(balanced(erased, positive), 0.5, 0.06);
  EXPECT_NEAR(balanced(erased, classes == 1), 0.5, 0.06);
}

TEST_F(ErasureTest, ForgottenMeansAndTheMeanOfTheOthersBecomeTheOverallMean) {
  const auto erased = erasure(forgotten_, 0.01).apply(means_);
  const auto mu = means_.mean(0);

  EXPECT_TRUE(at::allclose(erased[1], mu));
  EXPECT_TRUE(at::allclose(erased[4], mu));
  EXPECT_TRUE(at::allclose(erased.index_select(0, at::tensor({0, 2, 3, 5})).mean(0), mu));
}

TEST_F(ErasureTest, OfAllMapsWithThisPropertyItMovesFeaturesLeast) {
  const auto own = erasure(forgotten_);
  const auto mu = means_.mean(0);
  const auto metric = at::linalg_inv(total());
  const auto cost = [&](const at::Tensor& moved) {  // mean squared length in the metric
    return (moved.matmul(metric) * moved).sum(1).mean().item<double>();
  };
  const auto least = cost(all() - own.apply(all()));
  const auto least_kept = cost(means_ - own.apply(means_));

  // Oblique projections along the same directions have the same property.
  const auto directions = (means_ - mu).index_select(0, at::tensor({1, 4})).t();  // [D, 2]
  for (int i = 0; i < 20; ++i) {
    const auto other = at::randn({kDim, 2}, at::kDouble);
    const auto solve = at::linalg_inv(other.t().matmul(directions));
    const auto moved_by = [&](const at::Tensor& rows) {
      return (rows - mu).matmul(other).matmul(solve.t()).matmul(directions.t());
    };
    EXPECT_LT(moved_by(means_[1].unsqueeze(0)).sub(means_[1] - mu).abs().max().item<double>(),
              1e-8);
    EXPECT_GT(cost(moved_by(all())), least);
    EXPECT_GT(cost(moved_by(means_)), least_kept);
  }
}

TEST_F(ErasureTest, ErasingTwiceIsErasingOnce) {
  const auto own = erasure(forgotten_, 0.01);
  const auto once = own.apply(all());

  EXPECT_TRUE(at::allclose(own.apply(once), once));
}

TEST_F(ErasureTest, WithoutAForgottenClassNothingChanges) {
  const auto own = erasure(at::zeros({kClasses}, at::kBool));

  EXPECT_TRUE(own.is_identity());
  EXPECT_TRUE(own.apply(all()).equal(all()));
}

TEST_F(ErasureTest, ADirectionWithoutScatterIsNoProblem) {
  for (auto& rows : samples_) rows.select(1, 3).zero_();
  means_.select(1, 3).zero_();
  within_.select(0, 3).zero_();
  within_.select(1, 3).zero_();
  const auto erased = erasure(forgotten_).apply(all());

  EXPECT_TRUE(erased.isfinite().all().item<bool>());
  EXPECT_LT(erased.select(1, 3).abs().max().item<double>(), 1e-12);
}

TEST_F(ErasureTest, AllClassesCanBeForgotten) {
  const auto erased = erasure(at::ones({kClasses}, at::kBool), 0.01).apply(means_);

  EXPECT_TRUE(at::allclose(erased, means_.mean(0).expand_as(means_)));
}

}  // namespace
}  // namespace lethe
