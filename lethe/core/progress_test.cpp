#include "lethe/core/progress.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "lethe/core/log.h"

namespace lethe {
namespace {

// A stream in memory.
class Capture {
 public:
  Capture() : file_(std::tmpfile()) {}
  ~Capture() { std::fclose(file_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  std::FILE* file() { return file_; }
  std::string text() {
    std::string all;
    std::rewind(file_);
    std::array<char, 4096> buffer{};
    for (size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), file_)) > 0;)
      all.append(buffer.data(), n);
    return all;
  }

 private:
  std::FILE* file_;
};

TEST(ProgressTest, DurationsHaveTheirTwoLargestUnits) {
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(59.4), "59s");
  EXPECT_EQ(duration_text(59.6), "1m00s");
  EXPECT_EQ(duration_text(65.4), "1m05s");
  EXPECT_EQ(duration_text(10930), "3h02m");
  EXPECT_EQ(duration_text(-3), "0s");
}

TEST(ProgressTest, ALongTextIsCutAndMarked) {
  EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to("abcdefg", 6), "abc...");
  EXPECT_EQ(cut_to("abcdefg", 2), "ab");
  EXPECT_EQ(cut_to("abcdefg", -1), "");
  EXPECT_EQ(cut_to("ab\xc3\xa9"
                   "defg",
                   6),
            "ab...");  // not half of an e with an accent
}

TEST(ProgressTest, TheWidthComesFromColumnsIfThereIsNoTerminal) {
  if (::isatty(STDERR_FILENO) == 1) GTEST_SKIP() << "the terminal decides";
  const char* before = std::getenv("COLUMNS");
  const std::string kept = before == nullptr ? "" : before;

  ::setenv("COLUMNS", "132", 1);
  EXPECT_EQ(terminal_width(), 132);
  ::setenv("COLUMNS", "wide", 1);
  EXPECT_EQ(terminal_width(), 80);
  ::unsetenv("COLUMNS");
  EXPECT_EQ(terminal_width(), 80);

  if (before != nullptr) ::setenv("COLUMNS", kept.c_str(), 1);
}

TEST(ProgressTest, TheRemainingTimeIsEstimatedFromTheWorkDone) {
  EXPECT_DOUBLE_EQ(seconds_left(10, 2, 6), 20);
  EXPECT_DOUBLE_EQ(seconds_left(10, 6, 6), 0);
  EXPECT_LT(seconds_left(10, 0, 6), 0);
}

TEST(ProgressTest, AClearedLineDoesNotComeBackAfterAMessage) {
  Capture capture;
  {
    ProgressLine line({.stream = capture.file(), .terminal = true});
    line.show("working");
    line.clear();
    testing::internal::CaptureStderr();
    log_info("done");
    testing::internal::GetCapturedStderr();
  }
  EXPECT_EQ(capture.text(), "\r\033[Kworking\r\033[K");
}

TEST(ProgressTest, ADisabledLinePrintsNothing) {
  Capture capture;
  {
    ProgressLine line({.stream = capture.file(), .enabled = false});
    line.show("working", /*force=*/true);
  }
  EXPECT_EQ(capture.text(), "");
}

TEST(ProgressTest, WithoutATerminalPlainLinesAppearFromTimeToTime) {
  Capture capture;
  {
    ProgressLine line({.stream = capture.file(), .terminal = false, .line_seconds = 3600});
    line.show("first");
    line.show("too soon");
    line.show("forced", /*force=*/true);
  }
  EXPECT_EQ(capture.text(), "first\nforced\n");
}

TEST(ProgressTest, OnATerminalTheLineIsRedrawnCutToWidthAndCleared) {
  Capture capture;
  {
    ProgressLine line(
        {.stream = capture.file(), .terminal = true, .width = 11, .redraw_seconds = 0});
    line.show("step 1");
    line.show("a line that is too long");
  }
  EXPECT_EQ(capture.text(), "\r\033[Kstep 1\r\033[Ka line ...\r\033[K");
}

TEST(ProgressTest, MessagesOfOtherThreadsDoNotMixWithTheLine) {
  Capture capture;
  const auto level = log_level();
  set_log_level(LogLevel::kOff);  // exercises the locks without output
  {
    ProgressLine line({.stream = capture.file(), .terminal = true, .redraw_seconds = 0});
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 50; ++k) {
          line.show("x");
          log_info("message {}", k);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  set_log_level(level);
  EXPECT_EQ(capture.text().find('\n'), std::string::npos);
}

}  // namespace
}  // namespace lethe
