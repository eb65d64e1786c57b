#include "lethe/core/text.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(TextTest, ControlCharactersBecomeVisibleEscapes) {
  EXPECT_EQ(visible("two\nlines"), "two\\nlines");
  EXPECT_EQ(visible("a\tb\rc"), "a\\tb\\rc");
  EXPECT_EQ(visible("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(visible(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\x9b31m");
}

TEST(TextTest, OtherCharactersStayAsTheyAre) {
  EXPECT_EQ(visible(""), "");
  EXPECT_EQ(visible("red apple | C:\\x"), "red apple | C:\\x");
  EXPECT_EQ(visible("Löwenzahn \u00a0 \u732b"), "Löwenzahn \u00a0 \u732b");
  EXPECT_EQ(visible("cut \xc2"), "cut \xc2");
}

TEST(TextTest, OneThingIsSingularAndAllOtherNumbersArePlural) {
  EXPECT_EQ(counted(1, "task"), "1 task");
  EXPECT_EQ(counted(0, "task"), "0 tasks");
  EXPECT_EQ(counted(2, "task"), "2 tasks");
  EXPECT_EQ(counted(1, "class", "classes"), "1 class");
  EXPECT_EQ(counted(12, "class", "classes"), "12 classes");
}

}  // namespace
}  // namespace lethe
