#include "lethe/data/picture_grid.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"

namespace lethe {
namespace {

at::Tensor picture(int red, int64_t height, int64_t width) {
  auto pixels = at::zeros({3, height, width}, at::kByte);
  pixels[0].fill_(red);
  return pixels;
}

// The number of pixels of the sheet that are exactly (red, 0, 0).
int64_t count_of(const at::Tensor& sheet, int red) {
  return ((sheet[0] == red) & (sheet[1] == 0) & (sheet[2] == 0)).sum().item<int64_t>();
}

TEST(PictureGridTest, SmallPicturesAreEnlargedByAWholeNumberAndKeepTheirColours) {
  const auto sheet =
      draw({.title = "two rows",
            .columns = {"left", "right"},
            .rows = {{.name = "first", .pictures = {picture(200, 4, 8), picture(100, 4, 8)}},
                     {.name = "second", .pictures = {picture(150, 4, 8)}}},
            .side = 20});

  EXPECT_EQ(sheet.scalar_type(), at::kByte);
  EXPECT_EQ(sheet.size(0), 3);
  for (const int red : {200, 100, 150}) EXPECT_EQ(count_of(sheet, red), (4 * 2) * (8 * 2)) << red;
}

TEST(PictureGridTest, RowsStandBelowOneAnotherAndColumnsBeside) {
  const auto sheet =
      draw({.title = "",
            .rows = {{.name = "", .pictures = {picture(200, 8, 8), picture(100, 8, 8)}},
                     {.name = "", .pictures = {picture(150, 8, 8)}}},
            .side = 8});
  const auto place = [&](int red) { return (sheet[0] == red).nonzero()[0]; };

  EXPECT_EQ(place(200)[0].item<int64_t>(), place(100)[0].item<int64_t>());
  EXPECT_LT(place(200)[1].item<int64_t>(), place(100)[1].item<int64_t>());
  EXPECT_LT(place(200)[0].item<int64_t>(), place(150)[0].item<int64_t>());
  EXPECT_EQ(place(200)[1].item<int64_t>(), place(150)[1].item<int64_t>());
}

TEST(PictureGridTest, ALegendStandsBelowTheRows) {
  PictureGrid grid = {.title = "",
                      .rows = {{.name = "", .pictures = {picture(200, 8, 8)}}},
                      .legend = {},
                      .side = 8};
  const auto bare = draw(grid);
  for (int i = 1; i <= 9; ++i)
    grid.legend.push_back({.name = "class", .colour = {static_cast<uint8_t>(20 * i), 0, 0}});

  const auto sheet = draw(grid);

  EXPECT_EQ(sheet.size(2), bare.size(2));
  for (int i = 1; i <= 9; ++i) {
    const auto places = ((sheet[0] == 20 * i) & (sheet[1] == 0) & (sheet[2] == 0)).nonzero();
    ASSERT_GT(places.size(0), 50) << i;
    EXPECT_GT(places[0][0].item<int64_t>(), bare.size(1) - 20) << i;
  }
}

TEST(PictureGridTest, LargePicturesAreReduced) {
  const auto sheet = draw({.title = "large",
                           .rows = {{.name = "one", .pictures = {picture(200, 300, 600)}}},
                           .side = 60});
  EXPECT_EQ(count_of(sheet, 200), 30 * 60);
}

TEST(PictureGridTest, WithoutPicturesThereIsNothingToDraw) {
  EXPECT_THROW(draw({.title = "empty", .rows = {}}), Error);
  EXPECT_THROW(draw({.title = "empty", .rows = {{.name = "row", .pictures = {}}}}), Error);
}

}  // namespace
}  // namespace lethe
