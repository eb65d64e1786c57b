#include "lethe/features/class_groups.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

at::Tensor rows(const std::vector<double>& values, int64_t columns) {
  return at::tensor(values, at::kDouble).reshape({-1, columns});
}
at::Tensor ids(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

TEST(ClassGroupsTest, OnlyPresentClassesHaveAGroupAndVoidIsSkipped) {
  const auto groups = group_by_class(rows({1, 2, 3, 4, 5, 6, 7, 8}, 2),
                                     ids({70000, 3, kVoid, 70000}), {}, {}, LabelKind::kPixel);

  EXPECT_TRUE(groups.classes.equal(ids({3, 70000})));
  EXPECT_TRUE(groups.means().equal(rows({3, 4, 4, 5}, 2)));
  EXPECT_TRUE(groups.counts.equal(rows({1, 2}, 2)[0]));
}

TEST(ClassGroupsTest, ARowMayHaveAWeight) {
  const auto groups = group_by_class(rows({1, 5, 2}, 1), ids({0, 0, 1}), rows({3, 1, 2}, 3)[0]);

  EXPECT_TRUE(groups.means().equal(rows({2, 2}, 1)));
  EXPECT_TRUE(groups.sum_rows(rows({1, 1, 1}, 3)[0]).equal(rows({4, 2}, 2)[0]));
}

TEST(ClassGroupsTest, PerImageEveryImageWeighsTheSameInTheMean) {
  // Image 0 contains classes 1 and 2, image 1 only class 1.
  const auto groups =
      group_by_class(rows({1, 2, 3, 4}, 1), ids({1, 2, 1, 1}), {}, ids({0, 0, 1, 1}));

  EXPECT_TRUE(groups.classes.equal(ids({1, 2, 1})));
  EXPECT_TRUE(groups.images.equal(ids({0, 0, 1})));
  EXPECT_DOUBLE_EQ(groups.mean_groups(rows({10, 20, 40}, 3)[0]).item<double>(), (15 + 40) / 2.0);
}

TEST(ClassGroupsTest, SelectKeepsTheRowsOfTheGivenClasses) {
  const auto all = group_by_class(rows({1, 2, 3, 4, 5}, 1), ids({0, 1, 2, 1, 4}));

  const auto some = select(all, ClassSet{1, 4, 9});

  EXPECT_TRUE(some.classes.equal(ids({1, 4})));
  EXPECT_TRUE(some.means().equal(rows({3, 5}, 1)));
  EXPECT_EQ(select(all, ClassSet{9}).size(), 0);
  EXPECT_EQ(select(all, ClassSet{9}).mean_groups(at::empty({0}, at::kDouble)).item<double>(), 0);
}

TEST(ClassGroupsTest, TheGradientOfAMeanIsSpreadEqually) {
  auto features = rows({1, 2, 3}, 1).requires_grad_();
  group_by_class(features, ids({0, 0, 1})).means().sum().backward();

  EXPECT_TRUE(features.grad().equal(rows({0.5, 0.5, 1}, 1)));
}

// In a stream of more than 255 classes, 255 is a class like any other.
TEST(ClassGroupsTest, OnlyAMaskHasVoid) {
  const auto groups = group_by_class(rows({1, 2, 3}, 1), ids({254, kVoid, 256}));

  EXPECT_TRUE(groups.classes.equal(ids({254, kVoid, 256})));
}

}  // namespace
}  // namespace lethe
