#include "lethe/run/progress_listener.h"

#include <gtest/gtest.h>

#include "tests/support/data_files.h"
#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

TEST(ProgressListenerTest, TheImportantPartsComeFirst) {
  const StepStatus status = {.task = 2,
                             .tasks = 5,
                             .epoch = 3,
                             .epochs = 4,
                             .has_images = true,
                             .seconds_left = 80,
                             .images_per_second = 950.4,
                             .loss = 0.4119,
                             .terms = {{"ce", 0.3}, {"kd", 0.1119}}};

  const auto text = status_text(status);

  EXPECT_EQ(text, "task 2/5 epoch 3/4 | 1m20s left | 950 images/s | loss 0.412 | ce 0.3 kd 0.112");
  EXPECT_EQ(cut_to(text, 49), "task 2/5 epoch 3/4 | 1m20s left | 950 images/s...");
}

TEST(ProgressListenerTest, ARequestWithoutImagesHasStepsAndNoThroughput) {
  const StepStatus status = {.task = 3,
                             .tasks = 3,
                             .step = 40,
                             .steps = 100,
                             .has_images = false,
                             .seconds_left = 9,
                             .loss = 1.5,
                             .terms = {{"in_d", 1.5}}};

  EXPECT_EQ(status_text(status), "task 3/3 step 40/100 | 9s left | loss 1.500");
}

class ProgressListenerOfAStreamTest : public test::FakeStream {
 protected:
  // The line that announces a task.
  std::string announcement(int64_t task, int64_t images, int64_t steps) const {
    ProgressListener listener(plan_, {1, 1, 1}, {}, {.enabled = false});
    return messages_of(LogLevel::kInfo, [&] {
      listener.on(TaskStarted{.task = plan_.task(task), .images = images, .steps = steps});
    });
  }
};

TEST_F(ProgressListenerOfAStreamTest, ARequestWithoutImagesPromisesNoNumberOfSteps) {
  EXPECT_EQ(announcement(3, 0, 100), "task 3/3: forget c; up to 100 steps\n");
  EXPECT_EQ(announcement(2, 80, 20), "task 2/3: learn c, d (80 images); forget a; 20 steps\n");
}

TEST_F(ProgressListenerOfAStreamTest, OneImageAndOneStepAreSingular) {
  EXPECT_EQ(announcement(1, 1, 1), "task 1/3: learn a, b (1 image); 1 step\n");
}

}  // namespace
}  // namespace lethe
