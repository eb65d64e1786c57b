// Tests for every built-in method: it runs through tasks and a request without images, and a
// resumed run is bit-identical.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "lethe/core/files.h"
#include "lethe/core/system.h"
#include "lethe/run/experiment.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

// Records the losses of every step, and throws after a given number of steps of the run to simulate
// a kill.
class Witness : public Listener {
 public:
  struct Stop {};
  explicit Witness(int64_t stop_after) : stop_after_(stop_after) {}
  void on(const StepDone& event) override {
    for (const auto& term : event.terms) {
      EXPECT_TRUE(std::isfinite(term.value)) << term.name;
      if (term.gradient) measured += 1;
    }
    losses[event.position.step] = event.loss;
    if (event.position.step + 1 == stop_after_) throw Stop();
  }
  void on(const TaskDone& event) override { request_steps = event.steps; }
  std::map<int64_t, double> losses;  // by step
  int measured = 0;
  int64_t request_steps = 0;  // steps of the last event

 private:
  int64_t stop_after_;
};

// A problem and the name of a method.
using Case = std::pair<Problem, std::string>;

class MethodsTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { set_up_threads(1); }
  static void TearDownTestSuite() { whole_runs().clear(); }
  static bool masks() { return GetParam().first == Problem::kMasks; }
  static const std::string& method() { return GetParam().second; }

  // A run without interruption.
  struct Whole {
    test::Scratch scratch;
    Witness witness{-1};
  };
  static std::map<Case, Whole>& whole_runs() {
    static std::map<Case, Whole> runs;
    return runs;
  }
  // The one of this case, trained once for all tests.
  static const Whole& whole() {
    const auto [found, is_new] = whole_runs().try_emplace(GetParam());
    if (is_new) found->second.witness = train(found->second.scratch.path());
    return found->second;
  }

  // Trains tasks of synthetic images, with a request after the last task.
  static Witness train(const fs::path& run, int64_t stop_after = -1, const char* scenario = "task",
                       const std::string& more = "train.max_steps=5") {
    RunConfig config;
    ConfigText text;
    // mc_e in segmentation: importances are merged after the second task, and networks of width 16
    // use channels_last, a layout that files do not store.
    const bool merges = masks() && method() == "mc_e";
    text.set(merges ? "stream.tasks=[3, 2, 1]" : "stream.tasks=[3, 3]");
    text.set(merges ? "model.width=16" : "model.width=8");
    text.set(
        fmt::format("requests=[{{classes=[\"solid circle\"], before_task=2}}, "
                    "{{classes=[\"striped square\"], before_task={}}}]",
                    merges ? 4 : 3));
    for (const std::string assignment :
         {"train.batch=16", "train.max_steps=5", "request.steps=4", "train.checkpoint_steps=3",
          "eval.batch=64", "train.grad_steps=2"})
      text.set(assignment);
    text.set(masks() ? "data.name=shapes_seg" : "data.name=shapes");
    text.set(masks() ? "data.train_per_class=6" : "data.train_per_class=20");
    text.set(masks() ? "data.test_per_class=1" : "data.test_per_class=20");
    if (masks()) text.set("model.head_channels=16");
    text.set("method.name=" + method());
    for (const char* few : {"images_forgotten=8", "images_kept=4", "inversion_steps=3", "batch=8"})
      text.set(std::string("method.plus.") + few);
    text.set(more);
    if (!masks()) text.set(std::string("stream.scenario=") + scenario);
    configure(config, text);
    const auto experiment = make_experiment(config);
    fs::create_directories(run);
    Witness witness(stop_after);
    Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, run), {&witness});
    trainer.resume();
    try {
      trainer.run();
    } catch (const Witness::Stop&) {
    }
    return witness;
  }

  test::Scratch scratch_;
  fs::path folder_ = scratch_.path();
};

TEST_P(MethodsTest, AResumedRunIsBitIdentical) {
  EXPECT_GT(whole().witness.measured, 0);
  for (const int64_t stop : {4, 9, 12, -1}) {  // once in every event, after a checkpoint
    const auto witness = train(folder_, stop);
    for (const auto& [step, loss] : witness.losses)
      EXPECT_EQ(loss, whole().witness.losses.at(step)) << step;
  }
  const auto versions = versions_of(whole().scratch.path());
  EXPECT_EQ(versions_of(folder_), versions);
  for (const int64_t task : versions) {
    EXPECT_EQ(read_text(version_of(folder_, task) / "SHA256SUMS"),
              read_text(version_of(whole().scratch.path(), task) / "SHA256SUMS"))
        << "task " << task;
  }
}

TEST_P(MethodsTest, ScenarioClassTrainsLaterTasksDifferentlyAndResumes) {
  if (masks()) GTEST_SKIP() << "masks have one space for all classes";
  const auto& task = whole().witness;
  const auto whole = train(folder_ / "class", -1, "class");
  train(folder_ / "stopped", 9, "class");
  const auto resumed = train(folder_ / "stopped", -1, "class");

  EXPECT_EQ(whole.losses.at(4), task.losses.at(4));  // the first task has one head only
  EXPECT_NE(whole.losses.at(5), task.losses.at(5));
  for (const auto& [step, loss] : resumed.losses) EXPECT_EQ(loss, whole.losses.at(step)) << step;
}

TEST_P(MethodsTest, OnlyMethodsWithCodesOrStatisticsTrainForARequestWithoutImages) {
  const bool acts = method().starts_with("mc") || method() == "contrastive+";

  EXPECT_EQ(whole().witness.request_steps, acts ? 4 : 0);
}

TEST_P(MethodsTest, ClassStatisticsDoNotChangeTraining) {
  if (masks() || method() == "contrastive+") GTEST_SKIP() << "without statistics it does not run";
  const auto without = train(folder_, -1, "task", "method.statistics=false");

  EXPECT_EQ(without.losses, whole().witness.losses);
  for (const int64_t task : versions_of(folder_))
    EXPECT_EQ(model_hash(version_of(folder_, task)),
              model_hash(version_of(whole().scratch.path(), task)))
        << "task " << task;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto problem : {Problem::kImages, Problem::kMasks}) {
    for (const auto& name : MethodRegistry::builtin().names(problem))
      cases.emplace_back(problem, name);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, MethodsTest, testing::ValuesIn(all_cases()), [](const auto& one) {
  const bool masks = one.param.first == Problem::kMasks;
  return method_folder(one.param.second) + (masks ? "_masks" : "");
});

}  // namespace
}  // namespace lethe
