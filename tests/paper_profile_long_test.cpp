// The profile "paper" in the official layouts and sizes, with as many steps and images in a batch
// as two cores allow. Loss terms must be finite, and a killed and resumed run must be
// bit-identical. Table 1: every method for 3 steps of a second task, mc_e and contrastive for 20.
// Table 2: 10 steps of contrastive in each of two tasks.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "lethe/core/files.h"
#include "lethe/method/registry.h"
#include "tests/support/cars_files.h"
#include "tests/support/image_files.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

// 98 classes with two training images and one test image each; all images are noise.
void write_small_cars(const fs::path& root) {
  std::vector<std::string> names;
  std::vector<Annotation> train, test;
  for (int label = 1; label <= 98; ++label) {
    names.push_back("car " + std::to_string(label));
    for (int i = 0; i < 3; ++i) {
      const auto file = std::to_string(1000 + label) + "_" + std::to_string(i) + ".png";
      (i < 2 ? train : test).push_back({file, label});
      write_noise(root / (i < 2 ? "cars_train" : "cars_test") / file, 3 * label + i, 240, 300);
    }
  }
  write_class_names(root / "devkit/cars_meta.mat", names);
  write_annotations(root / "devkit/cars_train_annos.mat", train);
  write_annotations(root / "devkit/cars_test_annos_withlabels.mat", test);
}

// Checks and prints every loss term of the second task.
void expect_finite(const fs::path& run, int steps, const std::string& method) {
  std::istringstream lines(read_text(run / "metrics.jsonl"));
  int seen = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("type") != "steps" || record.at("task") != 2) continue;
    seen += record.at("steps").get<int>();
    for (const auto& [name, term] : record.at("terms").items()) {
      ASSERT_TRUE(term.at("value").is_number()) << method << ' ' << name << ' ' << line;
      if (seen == steps)
        std::printf("  %s %s %g x %g\n", method.c_str(), name.c_str(),
                    term.at("value").get<double>(), term.at("weight").get<double>());
    }
  }
  EXPECT_EQ(seen, steps) << method;
}

struct Case {
  const char* data;
  const char* tasks;
  int batch;
};

class PaperProfileTest : public testing::TestWithParam<Case> {
 protected:
  // The dataset's folder in --data.
  static std::string folder_name() {
    return GetParam().data == std::string("cub200") ? "CUB_200_2011" : "cifar-100-binary";
  }
  // The folder for --data; empty if the dataset is not available.
  std::string data_folder() {
    if (GetParam().data == std::string("cars")) {
      write_small_cars(scratch_.path() / "data" / "stanford_cars");
      return scratch_ / "data";
    }
    return shared_data(folder_name()).parent_path().string();
  }

  std::vector<std::string> arguments(const std::string& method, int steps) {
    return {"suite",      "table1",
            "--profile",  "paper",
            "--datasets", GetParam().data,
            "--data",     data_,
            "--only",     method,
            "--out",      scratch_ / ("runs" + std::to_string(steps)),
            "--results",  scratch_ / ("results" + std::to_string(steps)),
            "--set",      std::string("stream.tasks=") + GetParam().tasks,
            "--set",      "train.batch=" + std::to_string(GetParam().batch),
            "--set",      "train.max_steps=" + std::to_string(steps),
            "--set",      "data.test_per_class=1",
            "--set",      "train.log_steps=1",
            "--set",      "train.grad_steps=0",
            "--set",      "train.checkpoint_steps=2"};
  }
  fs::path run_of(const std::string& method, int steps) const {
    return scratch_.path() / ("runs" + std::to_string(steps)) /
           (std::string("table1-paper-") + GetParam().data + '-' + method_folder(method) + "-s0");
  }
  Scratch scratch_;
  std::string data_;
};

TEST_P(PaperProfileTest, EveryMethodTrainsASecondTaskWithFiniteTerms) {
  data_ = data_folder();
  if (data_.empty()) GTEST_SKIP() << no_shared_data(folder_name());
  for (const auto& name : MethodRegistry::builtin().names(Problem::kImages)) {
    const bool longer = name == "mc_e" || name == "contrastive";
    const int steps = longer ? 20 : 3;
    const auto outcome = lethe(arguments(name, steps));
    ASSERT_EQ(outcome.status, 0) << name << '\n' << outcome.err;
    expect_finite(run_of(name, steps), steps, name);
  }
}

TEST_P(PaperProfileTest, ARunKilledInTheSecondTaskAndResumedIsBitIdentical) {
  data_ = data_folder();
  if (data_.empty()) GTEST_SKIP() << no_shared_data(folder_name());
  const auto whole = arguments("contrastive", 4);
  ASSERT_EQ(lethe(whole).status, 0);
  const auto run = run_of("contrastive", 4);
  const auto expected = fingerprint(run);
  fs::remove_all(scratch_.path() / "runs4");

  {
    Process process(whole);
    while (process.running() && !(fs::exists(run / "versions" / "001-learn") &&
                                  fs::exists(run / "versions" / "partial")))
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    process.send(SIGKILL);
    process.finish();
  }
  fs::remove_all(scratch_.path() / "results4");  // the record of the whole run
  auto resumed = whole;
  resumed.push_back("--resume");
  const auto outcome = lethe(resumed);

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(fingerprint(run), expected);
}

// The setting of Table 2, 512 x 512 and ResNet-101, with a batch size that two cores can handle.
TEST(PaperMasksTest, TenStepsInEachOfTwoTasksKilledAndResumedAreBitIdentical) {
  const auto data = shared_data("VOCdevkit").parent_path();
  if (data.empty()) GTEST_SKIP() << no_shared_data("VOCdevkit");
  const Scratch scratch;
  const auto arguments = [&](const char* name) -> std::vector<std::string> {
    return {"suite",      "table2",
            "--profile",  "paper",
            "--datasets", "15-5",
            "--data",     data.string(),
            "--only",     "contrastive",
            "--out",      scratch / name,
            "--results",  scratch / (std::string("results-") + name),
            "--set",      "train.batch=2",
            "--set",      "train.max_steps=10",
            "--set",      "data.train_per_class=1",
            "--set",      "data.test_per_class=1",
            "--set",      "train.log_steps=1",
            "--set",      "train.grad_steps=0",
            "--set",      "train.checkpoint_steps=3"};
  };
  const auto run_in = [&](const char* name) {
    return scratch.path() / name / "table2-paper-15-5-contrastive-s0";
  };
  const auto whole = lethe(arguments("whole"));
  ASSERT_EQ(whole.status, 0) << whole.err;
  expect_finite(run_in("whole"), 10, "contrastive");

  {
    Process process(arguments("killed"));
    const auto versions = run_in("killed") / "versions";
    while (process.running() &&
           !(fs::exists(versions / "001-learn") && fs::exists(versions / "partial")))
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    process.send(SIGKILL);
    EXPECT_EQ(process.finish().status, 128 + SIGKILL);
  }
  auto resumed = arguments("killed");
  resumed.push_back("--resume");
  const auto outcome = lethe(resumed);

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(fingerprint(run_in("killed")), fingerprint(run_in("whole")));
}

INSTANTIATE_TEST_SUITE_P(Of, PaperProfileTest,
                         testing::Values(Case{"cifar100", "[20, 20]", 32},
                                         Case{"cub200", "[40, 40]", 8},
                                         Case{"cars", "[49, 49]", 8}),
                         [](const auto& one) { return std::string(one.param.data); });

}  // namespace
}  // namespace lethe::test
