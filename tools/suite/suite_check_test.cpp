#include "tools/suite/suite_check.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

using Texts = std::vector<std::string>;

// A small run on generated images of 12 classes.
PlannedRun planned(const std::string& name, const Texts& sets) {
  return {.name = name, .config = "smoke", .sets = sets};
}

std::string refusal(const Texts& sets) {
  return message_of<ConfigError>([&] {
    check_runs({planned("run 'first'", {}), planned("run 'second'", sets)}, "my.toml");
  });
}

TEST(SuiteCheckTest, RunsThatCouldStartPassWithoutAWarning) {
  const auto warnings = warnings_of([] {
    check_runs({planned("run 'a'", {"method.name=lwf"}),
                planned("run 'b'", {"method.name=finetune", "method.lwf.lambda=3"})},
               "my.toml");
  });
  EXPECT_EQ(warnings, "");
}

TEST(SuiteCheckTest, AMistakeThatNeedsNoDataNamesSuiteAndRun) {
  EXPECT_EQ(refusal({"method.name=contrastive", "method.contrastive.w_ex_d=0"}),
            "my.toml: run 'second': method.contrastive.w_ex_d: applies to segmentation only; the "
            "dataset is for classification");
}

TEST(SuiteCheckTest, AMistakeThatOnlyTheDatasetShowsNamesSuiteAndRun) {
  for (const char* mistake :
       {"stream.tasks=[8, 8]", "data.crop=64", "model.name=deeplabv3plus",
        "train.accumulate=100000", "eval.split=val", "aug.seg=area_crop", "train.amp=true"}) {
    const auto message = refusal({mistake, "train.device=cpu"});
    EXPECT_TRUE(message.starts_with("my.toml: run 'second': ")) << message;
    const auto key = std::string(mistake).substr(0, std::string(mistake).find('='));
    EXPECT_NE(message.find(key), std::string::npos) << message;
  }
}

TEST(SuiteCheckTest, AMissingFileOfWeightsNamesSuiteAndRun) {
  const auto message = message_of<DataError>(
      [] { check_runs({planned("run 'a'", {"model.pretrained=no.safetensors"})}, "my.toml"); });
  EXPECT_TRUE(message.starts_with("my.toml: run 'a': ")) << message;
  EXPECT_NE(message.find("no.safetensors"), std::string::npos) << message;
}

TEST(SuiteCheckTest, ARunIsNamedByItsLabelAndItsDataset) {
  const SuiteRun run = {.label = "lwf* x", .folder = "f", .method = "lwf*", .sets = {"train.lr=1"}};
  SuiteData data;
  EXPECT_EQ(name_of(run, data), "run 'lwf* x'");
  data.name = "cub200";
  EXPECT_EQ(name_of(run, data), "run 'lwf* x' on 'cub200'");

  data.tuned["lwf* x"] = {"train.lr=2"};
  EXPECT_EQ(sets_of(run, data), (Texts{"method.name=lwf*", "train.lr=1", "train.lr=2"}));
}

}  // namespace
}  // namespace lethe
