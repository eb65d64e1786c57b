#include "lethe/run/progress_listener.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lethe
