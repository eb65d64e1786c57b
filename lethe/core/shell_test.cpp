#include "lethe/core/shell.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(ShellTest, QuotesOnlyWhatAShellWouldChange) {
  EXPECT_EQ(shell_quoted("runs/demo-lwf_star"), "runs/demo-lwf_star");
  EXPECT_EQ(shell_quoted("train.lr=0.05"), "train.lr=0.05");
  EXPECT_EQ(shell_quoted("my run"), "'my run'");
  EXPECT_EQ(shell_quoted("lwf*"), "'lwf*'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace lethe
