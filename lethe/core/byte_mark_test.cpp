#include "lethe/core/byte_mark.h"

#include <gtest/gtest.h>

#include "lethe/core/files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

class ByteMarkTest : public testing::Test {
 protected:
  std::vector<size_t> found_in(const std::string& text,
                               const std::vector<std::string>& secrets) const {
    std::vector<ByteMark> marks;
    for (const auto& secret : secrets) marks.push_back(mark_of(bytes_of(secret)));
    write_atomically(scratch_.path() / "file", text);
    return find_marks(scratch_.path() / "file", marks);
  }

  test::Scratch scratch_;
};

TEST_F(ByteMarkTest, AMarkIsFoundAtTheStartInTheMiddleAndAtTheEnd) {
  EXPECT_EQ(found_in("secret and more", {"secret"}), (std::vector<size_t>{0}));
  EXPECT_EQ(found_in("there is a secret here", {"secret"}), (std::vector<size_t>{0}));
  EXPECT_EQ(found_in("it ends with secret", {"secret"}), (std::vector<size_t>{0}));
  EXPECT_EQ(found_in("secret", {"secret"}), (std::vector<size_t>{0}));
}

TEST_F(ByteMarkTest, WhatIsNotThereIsNotFound) {
  EXPECT_TRUE(found_in("secre", {"secret"}).empty());
  EXPECT_TRUE(found_in("", {"secret"}).empty());
  EXPECT_TRUE(found_in("terces secreT", {"secret"}).empty());
  EXPECT_TRUE(found_in("text", {}).empty());
}

TEST_F(ByteMarkTest, MarksOfDifferentLengthsAreFoundTogether) {
  EXPECT_EQ(found_in("abc 0123456789 xyz", {"none", "0123456789", "xyz", "abc "}),
            (std::vector<size_t>{1, 2, 3}));
}

TEST_F(ByteMarkTest, ZerosAreBytesLikeOthers) {
  const std::string zeros(8, '\0');
  EXPECT_EQ(found_in(std::string(7, '\0') + "x" + zeros, {zeros}), (std::vector<size_t>{0}));
  EXPECT_TRUE(found_in(std::string(7, '\0') + "x", {zeros}).empty());
}

}  // namespace
}  // namespace lethe
