#include "lethe/core/log.h"

#include <gtest/gtest.h>

#include <vector>

namespace lethe {
namespace {

class LogTest : public testing::Test {
 protected:
  void SetUp() override { before_ = log_level(); }
  void TearDown() override {
    set_log_frame({});
    set_log_level(before_);
  }
  LogLevel before_ = LogLevel::kInfo;
};

TEST_F(LogTest, OnlyMessagesOfTheLevelAndAboveAreSaid) {
  set_log_level(LogLevel::kWarning);
  testing::internal::CaptureStderr();

  log_debug("one");
  log_info("two");
  log_warning("three {}", 3);
  log_message(LogLevel::kError, "four");

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: three 3\nerror: four\n");
}

TEST_F(LogTest, AMessageWithBracesIsNotAFormat) {
  set_log_level(LogLevel::kInfo);
  testing::internal::CaptureStderr();

  log_message(LogLevel::kInfo, "{a} {}");

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "{a} {}\n");
}

TEST_F(LogTest, AMessageIsOneLineWithoutControlCharacters) {
  set_log_level(LogLevel::kInfo);
  testing::internal::CaptureStderr();

  log_warning("forget '{}' and '{}'", "bad\nname", "two\x1b[31mred");

  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: forget 'bad\\nname' and 'two\\x1b[31mred'\n");
}

TEST_F(LogTest, ATextOfSeveralLinesKeepsThem) {
  set_log_level(LogLevel::kInfo);
  testing::internal::CaptureStderr();

  log_lines("\n| a |\n\n| \tb |\n");
  log_lines("the end");

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\n| a |\n\n| \\tb |\nthe end\n");
}

TEST_F(LogTest, TheFrameIsCalledBeforeAndAfterWhatIsSaidAndNotForTheRest) {
  std::vector<bool> calls;
  set_log_level(LogLevel::kInfo);
  set_log_frame([&](bool before) { calls.push_back(before); });
  testing::internal::CaptureStderr();

  log_info("said");
  log_debug("not said");

  testing::internal::GetCapturedStderr();
  EXPECT_EQ(calls, (std::vector<bool>{true, false}));
}

}  // namespace
}  // namespace lethe
