#include "lethe/report/table.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"

namespace lethe {
namespace {

TEST(TableTest, TheFirstColumnIsLeftAlignedAndTheOthersRightAligned) {
  EXPECT_EQ(markdown_table({"method", "A"}, {{"lwf", "100.0"}, {"finetune", "-"}}),
            "| method   |     A |\n"
            "|----------|------:|\n"
            "| lwf      | 100.0 |\n"
            "| finetune |     - |\n");
}

TEST(TableTest, ABarOrAControlCharacterInANameDoesNotBreakTheTable) {
  EXPECT_EQ(markdown_table({"class", "n"},
                           {{"cat|dog", "1"}, {"two\nlines", "2"}, {"\x1b[31m\tred", "3"}}),
            "| class         | n |\n"
            "|---------------|--:|\n"
            "| cat\\|dog      | 1 |\n"
            "| two\\nlines    | 2 |\n"
            "| \\x1b[31m\\tred | 3 |\n");
}

TEST(TableTest, WidthsAreCountedInCharactersNotInBytes) {
  EXPECT_EQ(markdown_table({"class", "n"}, {{"Löwenzahn", "1"}, {"dandelion", "2"}}),
            "| class     | n |\n"
            "|-----------|--:|\n"
            "| Löwenzahn | 1 |\n"
            "| dandelion | 2 |\n");
}

TEST(TableTest, ARowOfAnotherLengthThanTheHeaderIsRefused) {
  EXPECT_THROW(markdown_table({"method", "A"}, {{"lwf"}}), Error);
}

}  // namespace
}  // namespace lethe
