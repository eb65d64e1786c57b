#include "lethe/data/mask_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "lethe/core/files.h"
#include "tests/support/mask_files.h"

namespace lethe {
namespace {

at::Tensor some_ids() { return at::tensor({0, 1, 20, 255, 7, 3}, at::kByte).reshape({2, 3}); }

TEST(MaskFileTest, APaletteIsReadAsIndices) {
  const TestFolder folder;
  write_mask(folder.path() / "a.png", some_ids());

  EXPECT_TRUE(at::equal(read_mask(folder.path() / "a.png"), some_ids()));
  // The same file, read as an image, has VOC's colours.
  const auto picture = read_image(folder.path() / "a.png");
  EXPECT_TRUE(at::equal(picture, colour_labels(some_ids())));
}

TEST(MaskFileTest, GreyLevelsAreReadAsTheyStand) {
  const TestFolder folder;
  const auto ids = some_ids();
  cv::imwrite(folder.path() / "a.png", cv::Mat(2, 3, CV_8UC1, ids.data_ptr<uint8_t>()));

  EXPECT_TRUE(at::equal(read_mask(folder.path() / "a.png"), ids));
}

TEST(MaskFileTest, ASingleBitIsZeroOrOne) {
  const TestFolder folder;
  auto ids = at::tensor({0, 1, 1, 0, 0, 1}, at::kByte).reshape({2, 3});
  cv::imwrite(folder.path() / "a.png", cv::Mat(2, 3, CV_8UC1, ids.data_ptr<uint8_t>()),
              {cv::IMWRITE_PNG_BILEVEL, 1});

  EXPECT_TRUE(at::equal(read_mask(folder.path() / "a.png"), ids));
}

TEST(MaskFileTest, ColoursNeedATable) {
  const TestFolder folder;
  const auto path = folder.path() / "a.png";
  auto picture = at::zeros({3, 1, 3}, at::kByte);
  picture[0][0][1] = 200;  // red
  picture[2][0][2] = 9;    // a dark blue
  write_png(path, picture);
  write_lines(folder.path() / "colours.txt",
              {"# colours", "0 0 0 background", "200 0 0 big house", "0 0 9 void"});
  const auto table = read_colour_table(folder.path() / "colours.txt", {"background", "big house"});

  EXPECT_TRUE(
      at::equal(read_mask(path, table), at::tensor({0, 1, 255}, at::kByte).reshape({1, 3})));
  EXPECT_NE(message_of<DataError>([&] { read_mask(path); }).find("data.mask_colours"),
            std::string::npos);
  auto lacking = table;
  lacking.ids.erase(Rgb{0, 0, 9});
  EXPECT_NE(message_of<DataError>([&] {
              read_mask(path, lacking);
            }).find("a.png: colour 0 0 9 is not in "),
            std::string::npos);
}

TEST(MaskFileTest, APaletteIsLookedUpByItsColoursIfThereIsATable) {
  const TestFolder folder;
  write_mask(folder.path() / "a.png", at::full({2, 2}, 2, at::kByte));  // 2 is green: 0 128 0
  write_lines(folder.path() / "colours.txt", {"0 128 0 grass", "0 0 0 background"});
  const auto table = read_colour_table(folder.path() / "colours.txt", {"background", "grass"});

  EXPECT_EQ(read_mask(folder.path() / "a.png", table)[1][1].item<int>(), 1);
}

TEST(MaskFileTest, ABadTableIsNamedWithItsLine) {
  const TestFolder folder;
  const auto path = folder.path() / "colours.txt";
  const auto refusal = [&](const std::vector<std::string>& lines) {
    write_lines(path, lines);
    return message_of<DataError>([&] { read_colour_table(path, {"background", "grass"}); });
  };

  EXPECT_NE(refusal({"0 0 0 background", "0 256 0 grass"}).find("colours.txt:2: expected"),
            std::string::npos);
  EXPECT_NE(refusal({"0 1 0 gras"}).find("did you mean 'grass'"), std::string::npos);
  EXPECT_NE(refusal({"0 0 0 grass", "0 0 0 background"}).find("is listed twice"),
            std::string::npos);
  EXPECT_NE(refusal({"# nothing"}).find("lists no colours"), std::string::npos);
}

TEST(MaskFileTest, WhatIsNoMaskIsRefused) {
  const TestFolder folder;
  folder.write("text.png", to_bytes("no image"));
  cv::imwrite(folder.path() / "deep.png", cv::Mat(2, 2, CV_16UC1, cv::Scalar(300)));
  cv::imwrite(folder.path() / "alpha.png", cv::Mat(2, 2, CV_8UC4, cv::Scalar(1, 2, 3, 4)));
  write_mask(folder.path() / "cut.png", some_ids());
  const auto bytes = read_text(folder.path() / "cut.png");
  folder.write("cut.png", {bytes.begin(), bytes.end() - 20});

  EXPECT_THROW(read_mask(folder.path() / "text.png"), UndecodableImage);
  EXPECT_THROW(read_mask(folder.path() / "cut.png"), UndecodableImage);
  EXPECT_NE(message_of<DataError>([&] { read_mask(folder.path() / "deep.png"); }).find("16 bits"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { read_mask(folder.path() / "alpha.png"); }).find("alpha"),
            std::string::npos);
  EXPECT_THROW(read_mask(folder.path() / "absent.png"), DataError);
}

}  // namespace
}  // namespace lethe
