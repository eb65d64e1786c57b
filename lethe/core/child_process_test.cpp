#include "lethe/core/child_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

class ChildProcessTest : public testing::Test {
 protected:
  ChildOptions shell(const std::string& script) const {
    return {.program = "/bin/sh",
            .arguments = {"-c", script},
            .environment = {{"COLOUR", "blue"}},
            .output = scratch_.path() / "out"};
  }
  static int wait(ChildProcess& child) {
    while (!child.status()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return *child.status();
  }
  std::string output() const { return read_text(scratch_.path() / "out"); }

  test::Scratch scratch_;
};

TEST_F(ChildProcessTest, ItsOutputVariablesAndStatusArrive) {
  ChildProcess child(shell("echo $COLOUR; echo wrong >&2; exit 3"));

  EXPECT_EQ(wait(child), 3);
  EXPECT_EQ(output(), "blue\nwrong\n");
}

TEST_F(ChildProcessTest, ASignalReachesIt) {
  ChildProcess child(shell("trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done"));
  while (output().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));

  child.send(SIGTERM);

  EXPECT_EQ(wait(child), 7);
}

TEST_F(ChildProcessTest, ItEndsWithItsObject) {
  {
    ChildProcess child(shell("echo $$; exec sleep 100"));
    while (output().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  EXPECT_NE(::kill(std::stoi(output()), 0), 0);
}

TEST_F(ChildProcessTest, AMissingProgramHasTheStatus127AndAMissingFolderIsAnError) {
  auto options = shell("");
  options.program = scratch_ / "nothing";
  ChildProcess child(options);
  EXPECT_EQ(wait(child), 127);

  options.output = scratch_.path() / "no folder" / "out";
  EXPECT_THROW(ChildProcess{options}, Error);
}

}  // namespace
}  // namespace lethe
