// Tests of the evidence of forgetting in segmentation: features.json and predictions.png.
#include <gtest/gtest.h>

#include "lethe/core/files.h"
#include "lethe/data/image_file.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

TEST(MaskEvidenceTest, ARunThatForgetsWritesFeatureFiguresAndAPredictionSheet) {
  const Scratch scratch;
  const auto run = scratch.path() / "run";
  std::vector<std::string> arguments = {"run",       "demo_seg",
                                        "--out",     run,
                                        "--threads", "1",
                                        "--set",     "train.max_steps=3",
                                        "--set",     "method.name=lwf",
                                        "--set",     "model.width=8",
                                        "--set",     "data.train_per_class=20"};
  const auto outcome = lethe(arguments);
  ASSERT_EQ(outcome.status, 0) << outcome.err;

  const auto figures = nlohmann::json::parse(read_text(run / "features.json"));
  ASSERT_EQ(figures.at("classes").size(), 2U);  // solid circle, striped square
  auto groups = figures.at("classes");
  groups["mean"] = figures.at("mean");
  for (const auto& [name, own] : groups.items()) {
    EXPECT_GT(own.at("distance").get<double>(), 0) << name;
    for (const char* probe : {"probe_before", "probe"}) {
      EXPECT_GE(own.at(probe).get<double>(), 0) << name;
      EXPECT_LE(own.at(probe).get<double>(), 1) << name;
    }
  }
  // Name, then image, truth, before and after: each twice 64 pixels wide, plus gaps.
  const auto sheet = read_image(run / "predictions.png");
  EXPECT_GT(sheet.size(2), 4 * 128);
  EXPECT_GT(sheet.size(1), 8 * 128);

  // The ledger has the hashes of both files.
  arguments.emplace_back("--resume");
  fs::remove(run / "predictions.png");
  expect_one_line_error(lethe(arguments), 3, "predictions.png: is missing");

  // Without the key no picture of a forgotten class is written.
  arguments.pop_back();
  arguments[3] = scratch.path() / "plain";
  arguments.insert(arguments.end(), {"--set", "forget.pictures=false"});
  ASSERT_EQ(lethe(arguments).status, 0);
  EXPECT_FALSE(fs::exists(scratch.path() / "plain" / "predictions.png"));
}

// Plain training does nothing for the second request, so the features of its class do not change
// after it, although they have changed since the first request.
TEST(MaskEvidenceTest, EveryClassIsComparedWithTheNetworkBeforeItsOwnRequest) {
  const Scratch scratch;
  const auto run = scratch.path() / "run";
  write_atomically(scratch.path() / "two.toml", R"(
[data]
name = "shapes_seg"
train_per_class = 12
test_per_class = 12
[model]
width = 8
[stream]
tasks = [3, 1, 1]
[[requests]]
classes = ["solid circle"]
before_task = 2
[[requests]]
classes = ["dotted cross"]
before_task = 4
[method]
name = "finetune"
[train]
max_steps = 3
)");
  const auto outcome = lethe({"run", scratch / "two.toml", "--out", run, "--threads", "1"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;

  const auto classes = nlohmann::json::parse(read_text(run / "features.json")).at("classes");
  const auto& first = classes.at("solid circle");
  const auto& second = classes.at("dotted cross");
  EXPECT_NE(first.at("distance"), 1.0);
  EXPECT_NEAR(second.at("distance").get<double>(), 1.0, 1e-9);
  EXPECT_EQ(second.at("probe"), second.at("probe_before"));
}

}  // namespace
}  // namespace lethe::test
