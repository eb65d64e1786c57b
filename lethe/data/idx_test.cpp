#include "lethe/data/idx.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

const Bytes kLabels = {0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9};
const Bytes kImages = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6};

Bytes gzip(const Bytes& bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  Bytes out(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class IdxTest : public testing::Test {
 protected:
  // The message of the error that reading these bytes throws, without the path.
  std::string refusal(const Bytes& bytes, int64_t rank) {
    const auto path = folder_.write("file", bytes);
    const auto message = message_of<DataError>([&] { read_idx(path, rank); });
    const std::string start = path.string() + ": ";
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(std::min(message.size(), start.size()));
  }

  TestFolder folder_;
};

TEST_F(IdxTest, ReadsPlainFilesInTheShapeOfTheirHeader) {
  const auto labels = read_idx(folder_.write("labels", kLabels), 1);
  const auto images = read_idx(folder_.write("images", kImages), 3);

  EXPECT_TRUE(at::equal(labels, at::tensor({7, 8, 9}, at::kByte)));
  EXPECT_TRUE(at::equal(images, at::arange(1, 7, at::kByte).reshape({2, 1, 3})));
}

TEST_F(IdxTest, ReadsCompressedFilesWhateverTheirName) {
  const auto images = read_idx(folder_.write("images", gzip(kImages)), 3);

  EXPECT_TRUE(at::equal(images, at::arange(1, 7, at::kByte).reshape({2, 1, 3})));
}

TEST_F(IdxTest, RefusesAnotherMagicNumber) {
  EXPECT_EQ(refusal(kImages, 1),
            "not an idx file of 1 dimension: expected 0x00000801, found 0x00000803");
  auto floats = kLabels;
  floats[2] = 0x0d;
  EXPECT_EQ(refusal(floats, 1),
            "not an idx file of 1 dimension: expected 0x00000801, found 0x00000d01");
}

TEST_F(IdxTest, RefusesAFileThatIsTooShort) {
  EXPECT_EQ(refusal({}, 1), "truncated: expected a header of 8 bytes, found 0");
  EXPECT_EQ(refusal({0, 0, 8, 3, 0, 0}, 3), "truncated: expected a header of 16 bytes, found 6");
  auto labels = kLabels;
  labels.pop_back();
  EXPECT_EQ(refusal(labels, 1), "truncated: expected 3 bytes after the header, found 2");
  EXPECT_EQ(refusal(gzip(labels), 1), "truncated: expected 3 bytes after the header, found 2");
}

TEST_F(IdxTest, RefusesAFileThatIsTooLong) {
  auto labels = kLabels;
  labels.push_back(1);

  EXPECT_EQ(refusal(labels, 1), "too long: expected 3 bytes after the header, found more");
  EXPECT_EQ(refusal(gzip(labels), 1), "too long: expected 3 bytes after the header, found more");
}

TEST_F(IdxTest, RefusesACompressedFileThatIsCutOrDamaged) {
  auto cut = gzip(kImages);
  cut.erase(cut.end() - 9, cut.end());
  auto unchecked = gzip(kImages);
  unchecked.erase(unchecked.end() - 8, unchecked.end());
  auto damaged = gzip(kImages);
  damaged[damaged.size() - 8] ^= 1;  // its checksum

  EXPECT_EQ(refusal(cut, 3).substr(0, 9), "truncated") << refusal(cut, 3);
  EXPECT_EQ(refusal(unchecked, 3), "truncated: its checksum at the end is missing");
  EXPECT_EQ(refusal(damaged, 3), "damaged: incorrect data check");
}

TEST_F(IdxTest, RefusesSizesThatTheFileCannotHoldBeforeAllocatingThem) {
  const Bytes huge = {0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1};

  EXPECT_EQ(refusal(huge, 3), "its header declares more data than a file of 17 bytes can contain");
  EXPECT_NE(refusal(gzip(huge), 3).find("declares more data than a file of"), std::string::npos);
}

TEST_F(IdxTest, RefusesAnEmptyList) {
  EXPECT_EQ(refusal({0, 0, 8, 1, 0, 0, 0, 0}, 1), "its header declares an empty array");
}

TEST_F(IdxTest, RefusesWhatIsNoFile) {
  const auto message = message_of<DataError>([&] { read_idx(folder_.path(), 1); });

  EXPECT_EQ(message, folder_.path().string() + ": no such file");
}

}  // namespace
}  // namespace lethe
