// Tests of suites: exit status, output, and shared first tasks.
#include <gtest/gtest.h>

#include <fstream>

#include "lethe/core/files.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

// Writes a dataset in the layout of CIFAR-100, with four training images and one test image per
// class.
void write_tiny_cifar100(const fs::path& folder) {
  fs::create_directories(folder);
  const auto write = [&](const char* name, int copies) {
    std::ofstream file(folder / name, std::ios::binary);
    for (int label = 0; label < 100; ++label) {
      for (int copy = 0; copy < copies; ++copy) {
        file.put('\0').put(static_cast<char>(label));
        file << std::string(3072, static_cast<char>(40 * copy + label));
      }
    }
  };
  write("train.bin", 4);
  write("test.bin", 1);
}

TEST(SuiteTest, OptionsThatWouldMakeTheTableWrongAreErrors) {
  const Scratch scratch;
  const auto suite = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"suite", "demo", "--out", scratch / "runs"});
    return lethe(more);
  };
  expect_one_line_error(suite({"--set", "train.seed=5"}), 2, "--seeds");
  expect_one_line_error(suite({"--set", "method.name=lwf"}), 2, "--only");
  expect_one_line_error(suite({"--seeds", "0,1,0"}), 2, "is given twice");

  const auto mine = scratch.path() / "runs" / "demo-finetune";
  fs::create_directories(mine);
  write_atomically(mine / "config.toml", "mine = 1\n");
  write_atomically(mine / "notes.txt", "mine\n");
  expect_one_line_error(suite({"--only", "finetune", "--overwrite"}), 2, "is not a run directory");
  EXPECT_TRUE(fs::exists(mine / "notes.txt"));
  EXPECT_TRUE(fs::exists(mine / "config.toml"));
}

TEST(SuiteTest, ASuiteWithRecordsSkipsRecordedRunsAndDoesNotOverwriteOtherRecords) {
  const Scratch scratch;
  write_tiny_cifar100(scratch.path() / "data" / "cifar-100-binary");
  const auto suite = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"suite", "contrastive_presets", "--out", scratch / "runs", "--results",
                 scratch / "results", "--only", "contrastive preset=print", "--threads", "1"});
    return lethe(more);
  };
  expect_one_line_error(suite({}), 2, "--data DIR");
  const std::vector<std::string> with = {"--data", scratch / "data", "--set", "train.max_steps=2"};
  const auto more = [&](std::vector<std::string> extra) {
    extra.insert(extra.begin(), with.begin(), with.end());
    return suite(extra);
  };
  ASSERT_EQ(more({"--markdown", scratch / "table.md"}).status, 0);
  const auto published = read_text(scratch.path() / "table.md");
  EXPECT_NE(published.find(" --data DIR --set train.max_steps=2 "), std::string::npos) << published;
  EXPECT_EQ(published.find(scratch.path().string()), std::string::npos) << published;
  const auto results = scratch.path() / "results";
  const auto table = read_text(results / "contrastive_presets.md");
  EXPECT_NE(table.find("| contrastive preset=print |"), std::string::npos) << table;
  fs::remove_all(scratch.path() / "runs");

  const auto again = more({"--resume"});

  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("recorded in"), std::string::npos) << again.err;
  EXPECT_FALSE(fs::exists(scratch.path() / "runs"));
  EXPECT_EQ(read_text(results / "contrastive_presets.md"), table);
  for (const std::vector<std::string>& how : {std::vector<std::string>{}, {"--resume"}}) {
    auto arguments = how;
    arguments.insert(arguments.end(), {"--set", "train.lr=0.01"});
    expect_one_line_error(more(arguments), 2, "train.lr was");
  }
  EXPECT_EQ(read_text(results / "contrastive_presets.md"), table);
  EXPECT_EQ(more({"--overwrite", "--set", "train.lr=0.01"}).status, 0);
  EXPECT_TRUE(fs::exists(scratch.path() / "runs"));

  EXPECT_EQ(suite({"--from-records"}).status, 2);  // not allowed for a part of a suite
  EXPECT_EQ(lethe({"suite", "contrastive_presets", "--results", results.string(), "--from-records"})
                .status,
            0);
}

TEST(SuiteTest, AFirstTaskIsNotReusedForOtherData) {
  const Scratch scratch;
  const auto data = scratch.path() / "data" / "cifar-100-binary";
  const auto run = [&](const std::string& out) {
    return lethe({"run", "cifar100_cpu", "--set", "data.root=" + data.string(), "--set",
                  "train.max_steps=1", "--set", "stream.tasks=[2, 2]", "--set",
                  "forget.keep_before=true", "--cache", scratch / "c", "--out", scratch / out,
                  "--threads", "1"});
  };
  write_tiny_cifar100(data);
  const int status = run("one").status;
  ASSERT_TRUE(status == 0 || status == 4) << status;  // 4: so short a run may forget nothing
  EXPECT_NE(run("two").err.find("copied from the cache"), std::string::npos);
  std::fstream file(data / "train.bin", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(2).put('\x7f');  // the first pixel of the first image
  file.close();
  const auto other = run("three");
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(other.err.find("copied from the cache"), std::string::npos) << other.err;
}

TEST(SuiteTest, ResultsIsAnErrorForASuiteWithoutRecords) {
  expect_one_line_error(lethe({"suite", "demo", "--results", "there"}), 2,
                        "--results: suite 'demo' keeps no records");
}

TEST(SuiteTest, AMistakeInALaterRunIsFoundBeforeTheFirstOneStarts) {
  const Scratch scratch;
  const auto suite = [&](const std::string& choice) {
    const auto file = scratch / "my.toml";
    write_atomically(file,
                     "preset = \"smoke\"\nrun = [{ method = \"finetune\" }, "
                     "{ method = \"contrastive\", choices = [\"" +
                         choice + "\"] }]\n");
    return lethe({"suite", file, "--out", scratch / "runs"});
  };
  expect_one_line_error(suite("method.contrastive.w_ex_d=0"), 2,
                        "my.toml: run 'contrastive w_ex_d=0': method.contrastive.w_ex_d");
  expect_one_line_error(suite("stream.tasks=[8, 8]"), 2,
                        "my.toml: run 'contrastive tasks=[8, 8]': stream.tasks");
  EXPECT_FALSE(fs::exists(scratch.path() / "runs"));
}

// The first example of docs/suites.md.
std::string documented_suite() {
  const auto document = read_text(fs::path(LETHE_SOURCE_DIR) / "docs/suites.md");
  const std::string fence = "```toml\n";
  const auto begin = document.find(fence) + fence.size();
  return document.substr(begin, document.find("```", begin) - begin);
}

TEST(SuiteTest, TheDocumentedSuiteOfAUserRunsEveryValueWithEverySeed) {
  const Scratch scratch;
  write_atomically(scratch.path() / "my.toml", documented_suite());

  const auto outcome = lethe({"suite", scratch / "my.toml", "--seeds", "0,1", "--out",
                              scratch / "runs", "--set", "train.max_steps=2", "--set",
                              "data.train_per_class=20", "--set", "data.test_per_class=10"});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines_in(outcome.out), 4u) << outcome.out;
  for (const char* rate : {"0.02", "0.05"}) {
    const auto row = outcome.out.find(std::string("| contrastive lr=") + rate + " |");
    ASSERT_NE(row, std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.substr(row, outcome.out.find('\n', row) - row).find(" +- "),
              std::string::npos)
        << outcome.out;
    for (const char* seed : {"0", "1"}) {
      const auto run =
          scratch.path() / "runs" / (std::string("my-contrastive-lr-") + rate + "-s" + seed);
      ASSERT_TRUE(fs::exists(run / "config.toml")) << run;
      const auto config = read_text(run / "config.toml");
      EXPECT_NE(config.find(std::string("\nlr = ") + rate + '\n'), std::string::npos) << config;
      EXPECT_NE(config.find(std::string("\nseed = ") + seed + '\n'), std::string::npos) << config;
    }
  }
}

TEST(SuiteTest, AUsersSuiteIsCheckedBeforeAnythingRuns) {
  const Scratch scratch;
  const auto suite = [&](const std::string& toml) {
    write_atomically(scratch.path() / "my.toml", toml);
    return lethe({"suite", scratch / "my.toml", "--out", scratch / "runs"});
  };
  expect_one_line_error(suite("preset = \"smoke\"\nruns = []\n"), 2,
                        "my.toml: unknown key 'runs'; did you mean 'run'?");
  expect_one_line_error(suite("preset = \"smoke\"\nrun = [{ choices = [\"train.lr=0.1\"] },\n"
                              "  { choices = [\"train.lr=fast\"] }]\n"),
                        2, "my.toml: run 2: train.lr = \"fast\": must be a number");
  EXPECT_FALSE(fs::exists(scratch.path() / "runs"));
  expect_one_line_error(lethe({"suite", scratch / "none.toml"}), 2, "none.toml: no such file");
  expect_one_line_error(lethe({"suite"}), 2, "NAME is missing");
}

TEST(SuiteTest, MethodsThatShareTheFirstTaskTrainItOnceWithTheSameResult) {
  const Scratch scratch;
  const std::vector<std::string> common = {"run",   "smoke",
                                           "--set", "train.max_steps=5",
                                           "--set", "data.train_per_class=40",
                                           "--set", "data.test_per_class=10",
                                           "--set", "forget.margin=0.99",
                                           "--set", "forget.keep_before=true"};
  const auto with = [&](std::vector<std::string> extra) {
    auto arguments = common;
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return lethe(arguments);
  };
  ASSERT_EQ(with({"--set", "method.name=lwf", "--out", scratch / "alone"}).status, 0);
  ASSERT_EQ(
      with({"--set", "method.name=finetune", "--out", scratch / "first", "--cache", scratch / "c"})
          .status,
      0);

  const auto shared =
      with({"--set", "method.name=lwf", "--out", scratch / "shared", "--cache", scratch / "c"});

  ASSERT_EQ(shared.status, 0) << shared.err;
  EXPECT_NE(shared.err.find("copied from the cache"), std::string::npos) << shared.err;
  EXPECT_EQ(fingerprint(scratch.path() / "shared"), fingerprint(scratch.path() / "alone"));
}

TEST(SuiteTest, StreamsThatDifferOnlyInLaterTasksShareTheFirstTask) {
  const Scratch scratch;
  const auto run = [&](const std::string& method, const std::string& tasks,
                       const std::string& fraction, const std::string& out, bool cached) {
    std::vector<std::string> arguments = {"run",   "shapes_seg",
                                          "--out", scratch / out,
                                          "--set", "train.max_steps=2",
                                          "--set", "data.train_per_class=8",
                                          "--set", "data.test_per_class=4",
                                          "--set", "model.width=8",
                                          "--set", "model.head_channels=16",
                                          "--set", "method.name=" + method,
                                          "--set", "stream.tasks=" + tasks,
                                          "--set", "stream.forget_fraction=" + fraction,
                                          "--set", "forget.keep_before=true"};
    if (cached) arguments.insert(arguments.end(), {"--cache", scratch / "c"});
    return lethe(arguments);
  };
  ASSERT_EQ(run("contrastive", "[4, 2]", "0.25", "first", true).status, 0);
  ASSERT_EQ(run("contrastive", "[4, 1, 1]", "0.5", "alone", false).status, 0);

  const auto shared = run("contrastive", "[4, 1, 1]", "0.5", "shared", true);

  ASSERT_EQ(shared.status, 0) << shared.err;
  EXPECT_NE(shared.err.find("copied from the cache"), std::string::npos) << shared.err;
  EXPECT_EQ(fingerprint(scratch.path() / "shared"), fingerprint(scratch.path() / "alone"));

  // The importances of EWC* depend on the kept classes, so this first task cannot be shared.
  ASSERT_EQ(run("mc_e", "[4, 2]", "0.25", "ewc", true).status, 0);
  const auto other = run("mc_e", "[4, 2]", "0.5", "other", true);
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(other.err.find("copied from the cache"), std::string::npos) << other.err;
}

TEST(SuiteTest, SuitesShareFirstTasksThroughAPersistentCache) {
  const Scratch scratch;
  const auto suite = [&](const std::string& method, const std::string& out) {
    return lethe({"suite", "demo", "--only", method, "--out", scratch / out, "--cache",
                  scratch / "c", "--threads", "1", "--set", "train.max_steps=2", "--set",
                  "data.train_per_class=20", "--set", "data.test_per_class=5", "--set",
                  "train.lr=0.05"});
  };
  ASSERT_EQ(suite("finetune", "one").status, 0);
  const auto second = suite("lwf*", "two");
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_NE(second.err.find("copied from the cache"), std::string::npos) << second.err;
  EXPECT_FALSE(fs::is_empty(scratch.path() / "c"));
}

TEST(SuiteTest, OverwritingASegmentationRunReplacesAllItsFiles) {
  const Scratch scratch;
  const std::vector<std::string> arguments = {"suite",
                                              "demo_seg",
                                              "--only",
                                              "finetune",
                                              "--out",
                                              scratch / "runs",
                                              "--overwrite",
                                              "--set",
                                              "train.max_steps=1",
                                              "--set",
                                              "data.train_per_class=4",
                                              "--set",
                                              "data.test_per_class=2",
                                              "--set",
                                              "model.width=8"};
  ASSERT_EQ(lethe(arguments).status, 0);
  const auto run = scratch.path() / "runs" / "demo_seg-finetune";
  ASSERT_TRUE(fs::exists(run / "predictions.png"));
  const auto before = fs::last_write_time(run / "predictions.png");

  const auto again = lethe(arguments);

  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_NE(fs::last_write_time(run / "predictions.png"), before);
}

TEST(SuiteTest, TheDemoSuitePrintsItsTableLastAndReplacesOnlyItsOwnRuns) {
  const Scratch scratch;
  const std::vector<std::string> arguments = {"suite",
                                              "demo",
                                              "--out",
                                              scratch / "runs",
                                              "--overwrite",
                                              "--set",
                                              "train.max_steps=2",
                                              "--set",
                                              "data.train_per_class=40",
                                              "--set",
                                              "data.test_per_class=10"};
  fs::create_directories(scratch.path() / "runs" / "mine");
  ASSERT_EQ(lethe(arguments).status, 0);

  const auto outcome = lethe(arguments);

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, 15), "| method      |") << outcome.out;
  EXPECT_EQ(lines_in(outcome.out), 6u) << outcome.out;
  const auto last = outcome.out.substr(outcome.out.rfind("\n| ") + 1);
  EXPECT_TRUE(last.starts_with("| contrastive |")) << outcome.out;
  EXPECT_EQ(lines_in(last), 1u) << last;
  for (const char* run :
       {"demo-finetune", "demo-lwf_star", "demo-mc_e", "demo-contrastive", "mine"}) {
    EXPECT_TRUE(fs::exists(scratch.path() / "runs" / run)) << run;
  }
}

}  // namespace
}  // namespace lethe::test
