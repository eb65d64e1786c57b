#include "tools/suite/suite_options.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

SuiteOptions options() {
  return {.name = "/home/me/my suites/sweep.toml",
          .out = "my runs",
          .seeds = {0, 3},
          .only = {"lwf*"},
          .sets = {"data.root=/home/me/photos", "train.lr=0.1"},
          .data = "/home/me/data",
          .threads = 2};
}

TEST(SuiteOptionsTest, APublishedCommandHasNoFolderOfThisMachine) {
  EXPECT_EQ(command_of(options()),
            "lethe suite sweep.toml --seeds 0,3 --only 'lwf*' --data DIR --set "
            "data.root=DIR/photos --set train.lr=0.1");
}

TEST(SuiteOptionsTest, TheCommandToResumeNamesEveryFolder) {
  EXPECT_EQ(resume_command(options()),
            "lethe suite '/home/me/my suites/sweep.toml' --seeds 0,3 --only 'lwf*' --set "
            "data.root=/home/me/photos --set train.lr=0.1 --data /home/me/data --out 'my runs' "
            "--threads 2 --resume");
}

}  // namespace
}  // namespace lethe
