#include "lethe/core/progress.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
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

TEST(ProgressTest, DurationsReadAsClocksDo) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(65.4), "1:05");
  EXPECT_EQ(duration_text(10930), "3:02:10");
  EXPECT_EQ(duration_text(-3), "0:00");
}

TEST(ProgressTest, TheRestIsEstimatedFromWhatIsDone) {
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

TEST(ProgressTest, DisabledItSaysNothing) {
  Capture capture;
  {
    ProgressLine line({.stream = capture.file(), .enabled = false});
    line.show("working", /*force=*/true);
  }
  EXPECT_EQ(capture.text(), "");
}

TEST(ProgressTest, ElsewhereThanOnATerminalPlainLinesAppearNowAndThen) {
  Capture capture;
  {
    ProgressLine line({.stream = capture.file(), .terminal = false, .line_seconds = 3600});
    line.show("first");
    line.show("too soon");
    line.show("forced", /*force=*/true);
  }
  EXPECT_EQ(capture.text(), "first\nforced\n");
}

TEST(ProgressTest, OnATerminalTheLineIsRedrawnCutToWidthAndTakenAway) {
  Capture capture;
  {
    ProgressLine line(
        {.stream = capture.file(), .terminal = true, .width = 11, .redraw_seconds = 0});
    line.show("step 1");
    line.show("a line that is too long");
  }
  EXPECT_EQ(capture.text(), "\r\033[Kstep 1\r\033[Ka line tha\r\033[K");
}

TEST(ProgressTest, MessagesOfOtherThreadsDoNotMixWithTheLine) {
  Capture capture;
  const auto level = log_level();
  set_log_level(
      LogLevel::kOff);  // frames are run only for shown messages: exercise the locks without noise
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
