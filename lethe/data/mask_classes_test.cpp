#include "lethe/data/mask_classes.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/support/mask_files.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<int64_t>;

class MaskClassesTest : public testing::Test {
 protected:
  MaskClassesTest() { write_mask(mask(), mask_with({3})); }
  fs::path mask() const { return folder_.path() / "a mask.png"; }
  std::vector<MaskClasses> ask(const fs::path& cache) const {
    return classes_of_masks({mask()}, {}, 1, cache);
  }

  TestFolder folder_;
  fs::path cache_ = folder_.path() / "cache" / "c.txt";
};

TEST_F(MaskClassesTest, BackgroundAndVoidAreNamedToo) {
  EXPECT_EQ(ask({})[0].ids, (Ids{0, 3, 255}));
}

TEST_F(MaskClassesTest, AMaskThatHasNotChangedIsNotReadAgain) {
  const auto time = fs::last_write_time(mask());
  ask(cache_);
  const auto bytes = fs::file_size(mask());
  folder_.write("a mask.png", Bytes(bytes, 'x'));  // damaged, but with the same size and time
  fs::last_write_time(mask(), time);

  EXPECT_EQ(ask(cache_)[0].ids, (Ids{0, 3, 255}));
  fs::last_write_time(mask(), time + std::chrono::seconds(1));
  EXPECT_NE(ask(cache_)[0].flaw.find("a mask.png: cannot be decoded"), std::string::npos);
}

TEST_F(MaskClassesTest, AChangedMaskIsReadAgain) {
  ask(cache_);
  write_mask(mask(), mask_with({1, 2, 4}));
  fs::last_write_time(mask(), fs::last_write_time(mask()) + std::chrono::seconds(2));

  EXPECT_EQ(ask(cache_)[0].ids, (Ids{0, 1, 2, 4, 255}));
  EXPECT_EQ(ask(cache_)[0].ids, (Ids{0, 1, 2, 4, 255}));
}

TEST_F(MaskClassesTest, ACacheThatCannotBeReadOrWrittenIsNoError) {
  folder_.write("cache/c.txt", to_bytes("something else\n"));
  EXPECT_EQ(ask(cache_)[0].ids, (Ids{0, 3, 255}));

  folder_.write("file", to_bytes("no folder"));
  EXPECT_EQ(ask(folder_.path() / "file" / "c.txt")[0].ids, (Ids{0, 3, 255}));
}

}  // namespace
}  // namespace lethe
