// TV-6, TV-7, TV-8 and TV-11: one pixel with background, two old classes (the second is forgotten)
// and a new class.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/losses/mask_cross_entropy.h"
#include "lethe/losses/mask_distillation.h"

namespace lethe {
namespace {

at::Tensor pixel(const std::vector<double>& logits) {
  return at::tensor(logits, at::kDouble).reshape({1, -1, 1, 1});
}

at::Tensor label(int64_t id) { return at::full({1, 1, 1}, id, at::kLong); }

at::Tensor flags(const std::vector<int64_t>& values) {
  return at::tensor(values, at::kLong).to(at::kBool);
}

at::Tensor gradient(const at::Tensor& logits,
                    const std::function<at::Tensor(const at::Tensor&)>& loss) {
  auto z = logits.clone().requires_grad_();
  loss(z).backward();
  return z.grad().flatten();
}

class MaskLossTest : public testing::Test {
 protected:
  void expect(const std::function<at::Tensor(const at::Tensor&)>& loss, double value,
              const std::vector<double>& slopes = {}) const {
    EXPECT_NEAR(loss(student_).item<double>(), value, 1e-8);
    if (slopes.empty()) return;
    const auto found = gradient(student_, loss);
    EXPECT_TRUE(at::allclose(found, at::tensor(slopes, at::kDouble), 0, 1e-6)) << found;
  }

  const at::Tensor student_ = pixel({1.0, 0.5, -0.5, 2.0});
  const at::Tensor teacher_ = pixel({0.8, 1.2, -0.3});
  const at::Tensor kept_ = flags({1, 1, 0});
};

TEST_F(MaskLossTest, TV6CrossEntropies) {
  const auto background = label(0);
  expect([&](const auto& z) { return unbiased_cross_entropy(z, background, 3); }, 0.91054436,
         {-0.326670, -0.198135, -0.072890, 0.597695});
  expect([&](const auto& z) { return unbiased_cross_entropy(z, label(3), 3); }, 0.51467497);
  expect([&](const auto& z) { return mask_cross_entropy(z, background); }, 1.51467497,
         {-0.780120, 0.133364, 0.049062, 0.597695});
  expect([&](const auto& z) { return unbiased_cross_entropy(z, background, 3, kept_ == 0); },
         1.04059798, {-0.402580, -0.244177, 0.049062, 0.597695});
}

TEST_F(MaskLossTest, TV7UnbiasedDistillation) {
  MaskDistillationOptions options = {.mass = StudentMass::kUnbiased};
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, {}, options); },
         0.49686215, {0.041556, -0.131591, -0.022927, 0.112962});
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, kept_, options); },
         0.56766381, {0.049379, -0.205244, 0.021640, 0.134225});
  options.norm = StarNorm::kOld;
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, kept_, options); },
         0.37844254);
  options.norm = StarNorm::kKept;
  options.star = StarForm::kTeacher;
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, kept_, options); },
         0.64349534);
}

TEST_F(MaskLossTest, TV8PlainDistillation) {
  MaskDistillationOptions options;
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, {}, options); },
         0.34832119);
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, kept_, options); },
         0.39850308);
  options.norm = StarNorm::kNone;
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, kept_, options); },
         0.79700615, {0.128122, -0.235702, 0.107580, 0});
  options.mass = StudentMass::kAll;
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, kept_, options); },
         1.60024908, {-0.160052, -0.410489, 0.043280, 0.527261});
  options = {.star = StarForm::kRestrict, .norm = StarNorm::kNone};
  expect([&](const auto& z) { return mask_distillation_loss(z, teacher_, kept_, options); },
         0.77342081);
}

TEST_F(MaskLossTest, TV11BinaryCrossEntropy) {
  EXPECT_NEAR(mask_binary_cross_entropy(pixel({0.2, 1.0, -1.0, 2.0}), label(3)).item<double>(),
              2.55159026, 1e-8);
}

TEST_F(MaskLossTest, CrossEntropiesIgnoreVoidPixels) {
  const auto logits = at::randn({2, 4, 3, 3}, at::kDouble);
  auto labels = at::randint(0, 4, {2, 3, 3}, at::kLong);
  labels[0][1].fill_(kVoid);
  const auto valid = (labels != kVoid).flatten().nonzero().squeeze(1);
  const auto rows = logits.permute({0, 2, 3, 1}).reshape({-1, 4}).index_select(0, valid);
  const auto own = labels.flatten().index_select(0, valid);
  const auto as_mask = rows.t().reshape({1, 4, 1, -1});
  const auto as_labels = own.reshape({1, 1, -1});
  using Loss = std::function<at::Tensor(const at::Tensor&, const at::Tensor&)>;
  for (const Loss& loss : {Loss(mask_cross_entropy), Loss(mask_binary_cross_entropy),
                           Loss([](auto&z, auto&y) { return unbiased_cross_entropy(z, y, 2); })}) {
    EXPECT_NEAR(loss(logits, labels).item<double>(), loss(as_mask, as_labels).item<double>(),
                1e-12);
    const auto slopes = gradient(logits, [&](const auto& z) { return loss(z, labels); });
    EXPECT_EQ(slopes.reshape(logits.sizes()).select(0, 0).select(1, 1).abs().sum().item<double>(),
              0);
    EXPECT_EQ(loss(logits, at::full_like(labels, kVoid)).item<double>(), 0);
  }
}

TEST_F(MaskLossTest, UnbiasedCrossEntropyOfBackgroundDependsOnTheSumOfOldChannelsOnly) {
  const auto z = at::randn({1, 5, 4, 4}, at::kDouble);
  const auto background = at::zeros({1, 4, 4}, at::kLong);
  const auto fresh = at::full({1, 4, 4}, 4, at::kLong);
  const auto unbiased = unbiased_cross_entropy(z, background, 3).item<double>();
  EXPECT_NEAR(unbiased_cross_entropy(z, fresh, 3).item<double>(),
              mask_cross_entropy(z, fresh).item<double>(), 1e-12);
  EXPECT_LT(unbiased, mask_cross_entropy(z, background).item<double>());
  EXPECT_NEAR(unbiased_cross_entropy(z, background, 1).item<double>(),
              mask_cross_entropy(z, background).item<double>(), 1e-12);
  const auto permuted = z.index_select(1, at::tensor(std::vector<int64_t>{2, 0, 1, 3, 4}));
  EXPECT_NEAR(unbiased_cross_entropy(permuted, background, 3).item<double>(), unbiased, 1e-12);
  // Labels of old classes are background.
  EXPECT_NEAR(unbiased_cross_entropy(z, background + 2, 3).item<double>(), unbiased, 1e-12);
}

TEST_F(MaskLossTest, DistillationIsSmallestAtTheTeachersOutput) {
  const auto teacher = at::randn({2, 4, 3, 3}, at::kDouble);
  const auto q = teacher.softmax(1);
  const double entropy = -(q * q.log()).sum(1).mean().item<double>() / 4;
  for (const auto mass : {StudentMass::kOld, StudentMass::kUnbiased}) {
    const MaskDistillationOptions options = {.mass = mass};
    const auto loss = [&](const at::Tensor& z) {
      return mask_distillation_loss(z, teacher, {}, options);
    };
    EXPECT_NEAR(loss(teacher + 3).item<double>(), entropy, 1e-12);  // a constant changes nothing
    EXPECT_LT(gradient(teacher, loss).abs().max().item<double>(), 1e-12);
    EXPECT_GT(loss(at::randn_like(teacher)).item<double>(), entropy);
  }
}

TEST_F(MaskLossTest, AForgottenLogitActsInTheDropFormButNotInTheRestrictForm) {
  const auto higher = pixel({1.0, 0.5, 0.7, 2.0});
  for (const auto mass : {StudentMass::kOld, StudentMass::kUnbiased}) {
    const auto value = [&](const at::Tensor& z, StarForm star, const at::Tensor& kept) {
      return mask_distillation_loss(z, teacher_, kept, {.mass = mass, .star = star}).item<double>();
    };
    EXPECT_GT(value(higher, StarForm::kDrop, kept_), value(student_, StarForm::kDrop, kept_));
    EXPECT_NEAR(value(higher, StarForm::kRestrict, kept_),
                value(student_, StarForm::kRestrict, kept_), 1e-12);
    for (const auto star : {StarForm::kDrop, StarForm::kRestrict}) {  // nothing forgotten
      EXPECT_NEAR(value(student_, star, flags({1, 1, 1})), value(student_, star, {}), 1e-12);
    }
  }
}

TEST_F(MaskLossTest, TheTeacherGetsNoGradient) {
  auto teacher = teacher_.clone().requires_grad_();
  auto student = student_.clone().requires_grad_();
  mask_distillation_loss(student, teacher, {}, {}).backward();
  EXPECT_FALSE(teacher.grad().defined());
}

}  // namespace
}  // namespace lethe
