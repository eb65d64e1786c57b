#include "lethe/data/image_file.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tests/support/data_files.h"

namespace lethe {
namespace {

// An image with a colour in each quarter, to tell orientations and channels apart: red and green
// above blue and white. height and width are even; channels are in OpenCV's order.
cv::Mat quarters(int height, int width) {
  cv::Mat image(height, width, CV_8UC3, cv::Scalar(255, 255, 255));
  const int h = height / 2;
  const int w = width / 2;
  image(cv::Rect(0, 0, w, h)) = cv::Scalar(0, 0, 255);
  image(cv::Rect(w, 0, w, h)) = cv::Scalar(0, 255, 0);
  image(cv::Rect(0, h, w, h)) = cv::Scalar(255, 0, 0);
  return image;
}

Bytes encode(const std::string& suffix, const cv::Mat& image) {
  Bytes bytes;
  std::vector<int> options;
  if (suffix == ".jpg") options = {cv::IMWRITE_JPEG_QUALITY, 100};
  if (suffix == ".webp") options = {cv::IMWRITE_WEBP_QUALITY, 101};  // lossless
  EXPECT_TRUE(cv::imencode(suffix, image, bytes, options));
  return bytes;
}

// The colour of a pixel as red, green, blue; lossy codecs are off by a few levels.
std::vector<int> colour(const at::Tensor& image, int64_t y, int64_t x) {
  std::vector<int> result;
  for (int64_t c = 0; c < 3; ++c) result.push_back(image[c][y][x].item<int>());
  return result;
}

void expect_colour(const at::Tensor& image, int64_t y, int64_t x,
                   const std::vector<int>& expected) {
  const auto found = colour(image, y, x);
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c], 3) << y << ", " << x;
}

const std::vector<int> kRed = {255, 0, 0};
const std::vector<int> kGreen = {0, 255, 0};
const std::vector<int> kBlue = {0, 0, 255};
const std::vector<int> kWhite = {255, 255, 255};

// Inserts an EXIF segment with only the orientation after the first two bytes of a JPEG.
Bytes with_orientation(const Bytes& jpeg, uint8_t orientation) {
  const Bytes segment = {0xFF, 0xE1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,  // APP1, 34 bytes long
                         'M',  'M',  0, 42, 0,   0,   0,   8,          // big endian, directory at 8
                         0,    1,                                      // one entry:
                         0x01, 0x12, 0, 3,  0,   0,   0,   1,   0, orientation,
                         0,    0,    0, 0,  0,   0};  // no other directory
  Bytes result(jpeg.begin(), jpeg.begin() + 2);
  result.insert(result.end(), segment.begin(), segment.end());
  result.insert(result.end(), jpeg.begin() + 2, jpeg.end());
  return result;
}

// The same for WebP: a feature header (VP8X) with the EXIF flag, the image, the EXIF data.
Bytes webp_with_orientation(const Bytes& webp, uint8_t orientation, int height, int width) {
  const auto byte = [](int value, int shift) { return static_cast<uint8_t>(value >> shift); };
  const Bytes exif = {'I',  'I',  42, 0, 8, 0, 0, 0, 1,           0,  // little endian
                      0x12, 0x01, 3,  0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0};
  Bytes body = {'W',
                'E',
                'B',
                'P',
                'V',
                'P',
                '8',
                'X',
                10,
                0,
                0,
                0,
                8,
                0,
                0,
                0,
                byte(width - 1, 0),
                byte(width - 1, 8),
                0,
                byte(height - 1, 0),
                byte(height - 1, 8),
                0};
  body.insert(body.end(), webp.begin() + 12, webp.end());
  if (body.size() % 2 == 1) body.push_back(0);
  for (const char letter : {'E', 'X', 'I', 'F'}) body.push_back(static_cast<uint8_t>(letter));
  for (const int value : {static_cast<int>(exif.size()), 0, 0, 0}) body.push_back(byte(value, 0));
  body.insert(body.end(), exif.begin(), exif.end());
  Bytes result = {'R', 'I', 'F', 'F'};
  for (const int shift : {0, 8, 16, 24})
    result.push_back(byte(static_cast<int>(body.size()), shift));
  result.insert(result.end(), body.begin(), body.end());
  return result;
}

class ImageFileTest : public testing::Test {
 protected:
  at::Tensor read(const std::string& name, const Bytes& bytes) const {
    return read_image(folder_.write(name, bytes));
  }
  std::string refusal(const std::string& name, const Bytes& bytes) const {
    const auto path = folder_.write(name, bytes);
    const auto message = message_of<UndecodableImage>([&] { read_image(path); });
    return message.substr(path.string().size());
  }

  TestFolder folder_;
};

TEST_F(ImageFileTest, EveryFormatGivesPlanesOfRedGreenAndBlue) {
  for (const auto* suffix : {".jpg", ".png", ".webp", ".bmp"}) {
    const auto image = read(std::string("a b") + suffix, encode(suffix, quarters(32, 48)));

    ASSERT_EQ(image.sizes(), (std::vector<int64_t>{3, 32, 48})) << suffix;
    expect_colour(image, 4, 4, kRed);
    expect_colour(image, 4, 40, kGreen);
    expect_colour(image, 28, 4, kBlue);
    expect_colour(image, 28, 40, kWhite);
  }
}

TEST_F(ImageFileTest, GreyBecomesThreeEqualChannels) {
  const cv::Mat grey(16, 16, CV_8UC1, cv::Scalar(77));
  for (const auto* suffix : {".jpg", ".png", ".bmp"}) {
    const auto image = read(std::string("grey") + suffix, encode(suffix, grey));

    EXPECT_TRUE(at::equal(image, at::full({3, 16, 16}, 77, at::kByte))) << suffix;
  }
}

TEST_F(ImageFileTest, SixteenBitsLoseTheirLowerEight) {
  const cv::Mat colours(2, 2, CV_16UC3, cv::Scalar(0x0BFF, 0x1680, 0x2100));  // blue, green, red
  const cv::Mat grey(2, 2, CV_16UC1, cv::Scalar(0x4DFF));

  EXPECT_EQ(colour(read("16.png", encode(".png", colours)), 1, 1),
            (std::vector<int>{0x21, 0x16, 0x0B}));
  EXPECT_EQ(colour(read("grey16.png", encode(".png", grey)), 1, 1),
            (std::vector<int>{0x4D, 0x4D, 0x4D}));
}

TEST_F(ImageFileTest, AlphaIsDroppedAndTheColourUnderItStays) {
  const cv::Mat half(2, 2, CV_8UC4, cv::Scalar(30, 20, 10, 128));
  for (const auto* suffix : {".png", ".webp"}) {
    EXPECT_EQ(colour(read(std::string("alpha") + suffix, encode(suffix, half)), 0, 0),
              (std::vector<int>{10, 20, 30}))
        << suffix;
  }
}

TEST_F(ImageFileTest, TheOrientationOfExifIsApplied) {
  const auto jpeg = encode(".jpg", quarters(32, 48));

  const auto upside_down = read("3.jpg", with_orientation(jpeg, 3));
  const auto quarter = read("6.jpg", with_orientation(jpeg, 6));  // rotates it clockwise
  const auto mirrored = read("2.jpg", with_orientation(jpeg, 2));

  expect_colour(upside_down, 4, 4, kWhite);
  expect_colour(upside_down, 28, 40, kRed);
  ASSERT_EQ(quarter.sizes(), (std::vector<int64_t>{3, 48, 32}));
  expect_colour(quarter, 4, 4, kBlue);
  expect_colour(quarter, 4, 28, kRed);
  expect_colour(quarter, 44, 28, kGreen);
  expect_colour(mirrored, 4, 4, kGreen);
}

TEST_F(ImageFileTest, EveryOrientationOfAWebpEqualsThatOfAJpeg) {
  const auto jpeg = encode(".jpg", quarters(32, 48));
  const auto webp = encode(".webp", quarters(32, 48));
  for (uint8_t orientation = 1; orientation <= 8; ++orientation) {
    const auto expected = read("a.jpg", with_orientation(jpeg, orientation));
    const auto image = read("a.webp", webp_with_orientation(webp, orientation, 32, 48));

    ASSERT_EQ(image.sizes(), expected.sizes());
    for (const int64_t y : {int64_t{4}, image.size(1) - 4}) {
      for (const int64_t x : {int64_t{4}, image.size(2) - 4}) {
        expect_colour(image, y, x, colour(expected, y, x));
      }
    }
  }
}

TEST_F(ImageFileTest, AFileThatIsCutOffAnywhereIsRefusedByName) {
  cv::Mat noise(40, 40, CV_8UC3);
  cv::randu(noise, 0, 256);
  for (const auto& [suffix, name] : {std::pair{".jpg", "JPEG"}, std::pair{".png", "PNG"},
                                     std::pair{".webp", "WebP"}, std::pair{".bmp", "BMP"}}) {
    const auto whole = encode(suffix, noise);
    for (const size_t left : {size_t{40}, whole.size() / 2, whole.size() - 2}) {
      EXPECT_EQ(refusal(std::string("cut") + suffix, Bytes(whole.begin(), whole.begin() + left)),
                std::string(": cannot be decoded: the ") + name + " is cut off")
          << left;
    }
  }
}

TEST_F(ImageFileTest, APngWithAWrongByteIsRefused) {
  auto bytes = encode(".png", quarters(32, 32));
  bytes[bytes.size() / 2] ^= 1;

  EXPECT_EQ(refusal("wrong.png", bytes), ": cannot be decoded: the PNG is damaged");
}

TEST_F(ImageFileTest, ProgressiveScansRestartsAndBytesBehindTheEndAreNoFlaw) {
  Bytes bytes;
  cv::imencode(".jpg", quarters(64, 64), bytes,
               {cv::IMWRITE_JPEG_PROGRESSIVE, 1, cv::IMWRITE_JPEG_RST_INTERVAL, 2});
  bytes.insert(bytes.end(), {0, 1, 2});

  expect_colour(read("progressive.jpg", bytes), 4, 4, {254, 0, 0});
}

TEST_F(ImageFileTest, WhatIsNoImageIsRefusedByName) {
  EXPECT_EQ(refusal("empty.jpg", {}), ": cannot be decoded: the file is empty");
  EXPECT_EQ(refusal("text.png", {'h', 'e', 'l', 'l', 'o'}),
            ": cannot be decoded: it is damaged, or not JPEG, PNG, WebP or BMP");
}

TEST_F(ImageFileTest, AMissingFileIsNotUndecodable) {
  const auto path = folder_.path() / "none.jpg";
  try {
    read_image(path);
    FAIL();
  } catch (const UndecodableImage&) {
    FAIL() << "missing is not damaged";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("none.jpg"), std::string::npos);
  }
}

TEST_F(ImageFileTest, AWrittenPngIsReadBackTheSame) {
  const auto image = at::arange(3 * 5 * 7, at::kByte).reshape({3, 5, 7});

  write_png(folder_.path() / "sheet.png", image);

  EXPECT_TRUE(at::equal(read_image(folder_.path() / "sheet.png"), image));
}

TEST_F(ImageFileTest, AnImageIsFoundByItsNameWithoutTheExtension) {
  for (const char* name : {"a.bmp", "a.PNG", "b.JPEG", "c.txt"})
    std::ofstream(folder_.path() / name) << "x";

  EXPECT_EQ(find_image(folder_.path(), "a").filename(), "a.bmp");  // lower case first
  EXPECT_EQ(find_image(folder_.path(), "b").filename(), "b.JPEG");
  EXPECT_EQ(find_image(folder_.path(), "c"), "");
}

TEST_F(ImageFileTest, ImagesAreRecognisedByTheirExtensionInAnyCase) {
  for (const auto* name : {"a.jpg", "b.JPEG", "c d.Png", "e.webp", "f.bmp"}) {
    EXPECT_TRUE(has_image_suffix(name)) << name;
  }
  for (const auto* name : {"a.txt", "jpg", "b.jpg.part", ".DS_Store"}) {
    EXPECT_FALSE(has_image_suffix(name)) << name;
  }
}

}  // namespace
}  // namespace lethe
