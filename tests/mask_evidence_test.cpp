// What a run on masks leaves as evidence: figures of the features and a sheet of predictions.
#include <gtest/gtest.h>

#include "lethe/core/files.h"
#include "lethe/data/image_file.h"
#include "tests/process.h"
#include "tests/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

TEST(MaskEvidenceTest, ARunThatForgetsLeavesFiguresOfItsFeaturesAndASheetOfPredictions) {
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
  // Name, then image, truth, before and after: twice 64 pixels each, and what lies between.
  const auto sheet = read_image(run / "predictions.png");
  EXPECT_GT(sheet.size(2), 4 * 128);
  EXPECT_GT(sheet.size(1), 8 * 128);

  // What is lost is made again, to the same bytes.
  const auto text = read_text(run / "features.json");
  const auto png = read_text(run / "predictions.png");
  fs::remove(run / "features.json");
  fs::remove(run / "predictions.png");
  arguments.emplace_back("--resume");
  ASSERT_EQ(lethe(arguments).status, 0);
  EXPECT_EQ(read_text(run / "features.json"), text);
  EXPECT_EQ(read_text(run / "predictions.png"), png);
}

}  // namespace
}  // namespace lethe::test
