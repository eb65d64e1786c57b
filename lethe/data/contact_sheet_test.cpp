#include "lethe/data/contact_sheet.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/data/shapes.h"

namespace lethe {
namespace {

DatasetInfo two_classes() {
  return {
      .name = "flat",
      .class_names = {"a rather long name_with_underscores that needs more lines than there are",
                      "b"},
      .channels = 1,
      .height = 20,
      .width = 20,
      .mean = {0.3},
      .std = {0.2}};
}

bool has_colour(const at::Tensor& sheet, int red, int green, int blue) {
  return ((sheet[0] == red) & (sheet[1] == green) & (sheet[2] == blue)).any().item<bool>();
}

TEST(ContactSheetTest, ShowsTheImagesInTheirOwnGreyLevels) {
  auto images = at::full({2, 1, 20, 20}, 77, at::kByte);
  images[1].fill_(201);
  const ImageBlock block(two_classes(), images, {0, 1}, "flat");

  const auto sheet = contact_sheet(block, {.flip = true}, {.columns = 2, .side = 40});

  ASSERT_EQ(sheet.size(0), 3);
  EXPECT_TRUE(has_colour(sheet, 77, 77, 77));
  EXPECT_TRUE(has_colour(sheet, 201, 201, 201));
  EXPECT_GE(((sheet[0] == 77) & (sheet[1] == 77)).sum().item<int>(), 40 * 40);  // scaled by 2
}

TEST(ContactSheetTest, ColoursStayInTheirChannels) {
  auto info = two_classes();
  info.channels = 3;
  info.mean = {0.1, 0.2, 0.3};
  info.std = {0.3, 0.2, 0.1};
  const auto colour = at::tensor({200, 100, 50}, at::kByte).reshape({1, 3, 1, 1});
  const ImageBlock block(info, colour.expand({1, 3, 20, 20}), {0}, "flat");

  EXPECT_TRUE(has_colour(contact_sheet(block, {}, {}), 200, 100, 50));
}

TEST(ContactSheetTest, OfManyClassesSomeAreShownAndTheSizeFollows) {
  const auto splits = make_shapes();

  const auto three = contact_sheet(*splits.train, {}, {.max_rows = 3, .columns = 2, .side = 32});
  const auto five = contact_sheet(*splits.train, {}, {.max_rows = 5, .columns = 2, .side = 32});

  EXPECT_EQ(five.size(1) - three.size(1), 2 * (32 + 6));
  EXPECT_EQ(five.size(2), three.size(2));
}

TEST(ContactSheetTest, NothingToShowIsAnError) {
  const ImageBlock block(two_classes(), at::empty({0, 1, 20, 20}, at::kByte), {}, "flat");

  EXPECT_THROW(contact_sheet(block, {}, {}), Error);
}

}  // namespace
}  // namespace lethe
