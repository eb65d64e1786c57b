#include "lethe/record/training_cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

std::string steps(int task, double seconds, int images) {
  return fmt::format(R"({{"type":"steps","task":{},"time":{{"seconds":{},"images":{}}}}})"
                     "\n",
                     task, seconds, images);
}

TEST(TrainingCostTest, TheStepsOfEveryEventAreAddedAndAnIncompleteLineIsLeftOut) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "metrics.jsonl";
  EXPECT_TRUE(training_costs(file).empty());
  write_atomically(file, steps(1, 0.5, 32) + "{\"type\":\"epoch\",\"task\":1}\n" + steps(1, 1, 16) +
                             steps(2, 2, 8) + "{\"type\":\"ste");

  const auto costs = training_costs(file);

  ASSERT_EQ(costs.size(), 2u);
  EXPECT_DOUBLE_EQ(costs.at(1).seconds, 1.5);
  EXPECT_EQ(costs.at(1).images, 48);
  EXPECT_EQ(cost_until(costs, 1).images, 48);
  EXPECT_DOUBLE_EQ(cost_until(costs, 2).seconds, 3.5);
}

TEST(TrainingCostTest, ADamagedLineIsNamed) {
  const test::Scratch scratch;
  const auto file = scratch.path() / "metrics.jsonl";
  write_atomically(file, steps(1, 0.5, 32) + "{\"type\":\"steps\"}\n");

  try {
    training_costs(file);
    ADD_FAILURE() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("metrics.jsonl:2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lethe
