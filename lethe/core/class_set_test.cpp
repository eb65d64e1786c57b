#include "lethe/core/class_set.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {
namespace {

TEST(ClassSetTest, IsSortedWithoutDuplicates) {
  const ClassSet set(std::vector<ClassId>{3, 1, 3});

  EXPECT_EQ(set, (ClassSet{1, 3}));
  EXPECT_EQ(set.size(), 2);
  EXPECT_TRUE(set.contains(3));
  EXPECT_FALSE(set.contains(2));
}

TEST(ClassSetTest, UnionIntersectionAndDifference) {
  const ClassSet a{1, 2, 3};
  const ClassSet b{3, 4};

  EXPECT_EQ(a | b, (ClassSet{1, 2, 3, 4}));
  EXPECT_EQ(a & b, (ClassSet{3}));
  EXPECT_EQ(a - b, (ClassSet{1, 2}));
  EXPECT_TRUE((a - a).empty());
}

TEST(ClassSetTest, TheMaskCoversOnlyItsRange) {
  const auto mask = ClassSet{1, 4, 9}.mask(3, 4);

  EXPECT_TRUE(at::equal(mask, at::tensor(std::vector<float>{0, 1, 0, 0})));
}

TEST(TensorCheckTest, AWrongShapeIsNamedWithWhatWasExpected) {
  try {
    require_shape("features", at::zeros({32, 256}), {32, 128});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "features: expected [32, 128], got [32, 256]");
  }
  EXPECT_NO_THROW(require_shape("features", at::zeros({5, 2}), {kAnySize, 2}));
  EXPECT_THROW(require_shape("features", at::Tensor(), {1}), Error);
  EXPECT_THROW(require_shape("features", at::zeros({2}), {2, 1}), Error);
}

}  // namespace
}  // namespace lethe
