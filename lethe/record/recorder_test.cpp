#include "lethe/record/recorder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/record/evaluations.h"
#include "lethe/trainer/trainer.h"
#include "tests/support/fake_segmentation.h"
#include "tests/support/run_record.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

// Simulates a kill during the evaluation of the given task, after all of its steps.
class StopsInEvaluation : public Listener {
 public:
  struct Stop {};
  explicit StopsInEvaluation(int64_t task) : task_(task) {}
  void on(const Evaluated& event) override {
    if (event.moment == Moment::kEnd && event.position.task == task_) throw Stop();
  }

 private:
  int64_t task_;
};

class RecorderTest : public testing::Test {
 protected:
  // Trains two tasks and a request-only event: 18, 9 and 5 steps. stop_in: the task whose
  // evaluation is interrupted.
  void train(const fs::path& run, int64_t checkpoint_steps, int64_t stop_in = 0) {
    fs::create_directories(run);
    auto options = test::squares_training();
    options.checkpoint_steps = checkpoint_steps;
    auto network = std::make_shared<test::TinySegmenter>(3);
    test::ThreePasses method;
    StopsInEvaluation stop(stop_in);
    Recorder recorder(run, plan_, {}, 4);
    Trainer trainer(options, {.every = "epoch"},
                    {.plan = plan_,
                     .train = train_,
                     .eval = test_,
                     .augmentation = {.pad = 1, .flip = true, .rotation = 0},
                     .network = network,
                     .method = method,
                     .run = run},
                    {&stop, &recorder});
    if (!trainer.resume()) recorder.start_afresh();
    trainer.run();
  }

  test::Scratch scratch_;
  fs::path folder_ = scratch_.path();
  DatasetPtr train_ = std::make_shared<test::SquareSet>(36, 3);
  DatasetPtr test_ = std::make_shared<test::SquareSet>(12, 3);
  TaskPlan plan_{test::squares_stream(), train_->info()};
};

TEST_F(RecorderTest, EveryStepIsInExactlyOneLine) {
  train(folder_, 0);

  std::istringstream lines(read_text(folder_ / "metrics.jsonl"));
  int64_t steps = 0;
  int64_t epochs = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("type") == "epoch") ++epochs;
    if (record.at("type") != "steps") continue;
    steps += record.at("steps").get<int64_t>();
    EXPECT_EQ(record.at("step"), steps);  // last step of the line, counted over the whole run
    EXPECT_LE(record.at("steps"), 4);
  }
  EXPECT_EQ(steps, 18 + 9 + 5);
  EXPECT_EQ(epochs, 3 + 3 + 1);
}

// A checkpoint after the last step of a task: the last lines of the epoch are not written yet.
TEST_F(RecorderTest, StoppingAfterTheLastStepOfATaskDoesNotChangeTheRecord) {
  const int64_t on_last_steps[] = {1, 9};  // every step; every ninth step (18 and 9 are multiples)
  for (const int64_t every : on_last_steps) {
    const auto whole = folder_ / ("whole" + std::to_string(every));
    train(whole, every);
    for (const int64_t task : {1, 2, 3}) {
      const auto run = folder_ / ("stopped" + std::to_string(every) + std::to_string(task));
      EXPECT_THROW(train(run, every, task), StopsInEvaluation::Stop);

      train(run, every);

      EXPECT_EQ(test::without_time(run / "metrics.jsonl"),
                test::without_time(whole / "metrics.jsonl"))
          << "checkpoint every " << every << ", stopped in task " << task;
      for (int64_t number : {1, 2, 3}) {
        EXPECT_EQ(read_text(version_of(run, number) / "SHA256SUMS"),
                  read_text(version_of(whole, number) / "SHA256SUMS"))
            << "task " << number << ", checkpoint every " << every << ", stopped in task " << task;
      }
    }
  }
}

TEST_F(RecorderTest, AnInvalidLineIsADataErrorWithFileAndLine) {
  fs::create_directories(folder_);
  write_atomically(folder_ / "metrics.jsonl", "{\"type\":\"epoch\"}\n{\"type\":3}\nnonsense\n");
  try {
    read_evaluations(folder_ / "metrics.jsonl");
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("metrics.jsonl:3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lethe
