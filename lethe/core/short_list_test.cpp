#include "lethe/core/short_list.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(ShortListTest, FewNamesAreAllShown) {
  EXPECT_EQ(short_list({}), "");
  EXPECT_EQ(short_list({"cat"}), "cat");
  EXPECT_EQ(short_list({"a", "b", "c", "d", "e", "f"}), "a, b, c, d, e, f");
}

TEST(ShortListTest, ManyNamesAreCountedAndTheFirstOnesShown) {
  EXPECT_EQ(short_list({"a", "b", "c", "d", "e", "f", "g"}), "7 classes: a, b, c, ... (4 more)");
  EXPECT_EQ(short_list(std::vector<std::string>(20, "x"), "files"),
            "20 files: x, x, x, ... (17 more)");
}

}  // namespace
}  // namespace lethe
