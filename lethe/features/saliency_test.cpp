#include "lethe/features/saliency.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(SaliencyTest, AnObjectOnAStripedGroundIsSalient) {
  for (const int64_t side : {64, 160}) {
    at::manual_seed(1);
    const auto stripes = (at::arange(side, at::kFloat).remainder(8) < 4).to(at::kFloat);
    auto image = stripes + 0.1 * at::randn({1, 3, side, side});
    const int64_t from = side / 2;
    const int64_t size = side / 6;
    image.slice(2, from, from + size).slice(3, from, from + size).fill_(3);
    const auto salient = salient_pixels(image);
    ASSERT_EQ(salient.sizes(), at::IntArrayRef({1, side, side}));
    const auto inside =
        salient.slice(1, from, from + size).slice(2, from, from + size).to(at::kFloat).mean();
    EXPECT_GT(inside.item<double>(), 0.8);
    EXPECT_LT(salient.to(at::kFloat).mean().item<double>(), 0.5);
  }
}

TEST(SaliencyTest, EveryImageIsComparedWithItself) {
  const auto images = at::rand({2, 3, 32, 48});
  const auto both = salient_pixels(images);
  EXPECT_TRUE(salient_pixels(images.narrow(0, 1, 1)).equal(both.narrow(0, 1, 1)));
  EXPECT_TRUE(salient_pixels(images * 5).equal(both));
}

}  // namespace
}  // namespace lethe
