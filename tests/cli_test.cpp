// Tests of the command line: exit status and output.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lethe/core/files.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

// `lethe` with fewer images than the presets have, for runs whose scores do not matter.
Outcome with_few_images(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(),
                   {"--set", "data.train_per_class=20", "--set", "data.test_per_class=5"});
  return lethe(arguments);
}

// A run of two tasks in which nothing is learned.
std::vector<std::string> idle_run(const fs::path& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"run",   "smoke",       "--out", out.string(),
                                  "--set", "requests=[]", "--set", "train.max_steps=1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(CliTest, HelpVersionAndListsHaveExitStatusZero) {
  const auto help = lethe({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* word :
       {"run", "eval", "list", "data", "suite", "bench", "exit status", "examples"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  EXPECT_NE(lethe({"--version"}).out.find("LibTorch"), std::string::npos);
  EXPECT_NE(lethe({"run", "--help"}).out.find("--resume"), std::string::npos);
  EXPECT_NE(lethe({"list", "methods"}).out.find("lwf*"), std::string::npos);
  EXPECT_NE(lethe({"list", "datasets"}).out.find("shapes"), std::string::npos);
  EXPECT_NE(lethe({"list", "models"}).out.find("resnet101"), std::string::npos);
  EXPECT_NE(lethe({"list", "presets"}).out.find("demo"), std::string::npos);
  EXPECT_NE(lethe({"list", "suites"}).out.find("demo"), std::string::npos);
}

TEST(CliTest, TheReadmeListsTheFilesOfARunAsTheProgramDoes) {
  const auto readme = read_text(fs::path(LETHE_SOURCE_DIR) / "README.md");

  const auto files = lethe({"list", "files"});

  ASSERT_EQ(files.status, 0) << files.err;
  EXPECT_NE(files.out.find("config.toml"), std::string::npos) << files.out;
  EXPECT_NE(readme.find("```\n" + files.out + "```\n"), std::string::npos)
      << "README.md, \"The run directory\", must contain exactly:\n"
      << files.out;
}

TEST(CliTest, HelpOfACommandShowsUsageDefaultsAnExampleAndExitStatuses) {
  const auto help = lethe({"run", "--help"});

  EXPECT_TRUE(help.out.starts_with("usage: lethe run [CONFIG] [--set KEY=VALUE]... ")) << help.out;
  for (const char* part : {"Learn a sequence of tasks", "[default: runs/<config name>]",
                           "\nexample: lethe run demo", "\nexit status: 0 done", "143"}) {
    EXPECT_NE(help.out.find(part), std::string::npos) << part << '\n' << help.out;
  }
  EXPECT_EQ(lethe({"help", "run"}).out, help.out);
  EXPECT_EQ(lethe({"help", "data", "check"}).out, lethe({"data", "check", "--help"}).out);
  EXPECT_EQ(lethe({"help"}).out, lethe({"--help"}).out);
  expect_one_line_error(lethe({"help", "rum"}), 2, "did you mean 'run'?");
}

TEST(CliTest, WithoutACommandTheCommandsAreShown) {
  const auto alone = lethe({});
  const auto group = lethe({"data"});

  EXPECT_EQ(alone.status, 0);
  EXPECT_NE(alone.out.find("\n  suite "), std::string::npos) << alone.out;
  EXPECT_EQ(alone.err, "");
  EXPECT_EQ(group.status, 0);
  EXPECT_NE(group.out.find("\n  prepare "), std::string::npos) << group.out;
}

TEST(CliTest, TheConfigurationHelpHasCommonKeysAndAllKeys) {
  const auto common = lethe({"run", "--help-config"});
  const auto all = lethe({"run", "--help-config", "all"});

  EXPECT_EQ(common.status, 0);
  EXPECT_EQ(all.status, 0);
  for (const char* section :
       {"[data]", "[aug]", "[stream]", "[model]", "[method]", "[train]", "[request]", "[eval]"}) {
    EXPECT_NE(common.out.find(section), std::string::npos) << section;
    EXPECT_NE(all.out.find(section), std::string::npos) << section;
  }
  EXPECT_NE(all.out.find("[method.lwf]"), std::string::npos);
  EXPECT_NE(all.out.find("milestones = "), std::string::npos);
  EXPECT_EQ(common.out.find("milestones = "), std::string::npos);
  EXPECT_NE(common.out.find("`lethe run --help-config all` shows all"), std::string::npos);
  EXPECT_EQ(lethe({"run", "--help-config", "some"}).status, 2);
}

// libgomp prints its settings when it is loaded: there is no later moment to set them.
TEST(CliTest, OpenMpThreadsSpinBrieflyUnlessTheUserSaysOtherwise) {
  const auto settings = [](std::vector<std::string> environment) {
    environment.emplace_back("OMP_DISPLAY_ENV=verbose");
    return lethe({"--version"}, {.environment = std::move(environment)}).err;
  };
  const auto own = settings({"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"});
  if (own.find("GOMP_SPINCOUNT") == std::string::npos)
    GTEST_SKIP() << "this LibTorch does not use libgomp";

  EXPECT_NE(own.find("GOMP_SPINCOUNT = '2000'"), std::string::npos) << own;
  EXPECT_NE(settings({"GOMP_SPINCOUNT=77", "OMP_WAIT_POLICY"}).find("GOMP_SPINCOUNT = '77'"),
            std::string::npos);
  EXPECT_EQ(settings({"GOMP_SPINCOUNT", "OMP_WAIT_POLICY=active"}).find("GOMP_SPINCOUNT = '2000'"),
            std::string::npos);
}

TEST(CliTest, ColoursAreForTerminalsWithoutNoColor) {
  const auto error = [](std::vector<std::string> environment, int columns) {
    return lethe({"rum"}, {.environment = std::move(environment), .terminal_columns = columns}).err;
  };

  EXPECT_NE(error({"NO_COLOR", "TERM=xterm"}, 80).find("\033["), std::string::npos);
  EXPECT_EQ(error({"NO_COLOR=1", "TERM=xterm"}, 80).find("\033["), std::string::npos);
  EXPECT_EQ(error({"NO_COLOR", "TERM=xterm"}, 0).find("\033["), std::string::npos);
}

TEST(CliTest, TheProgressLineFitsTheTerminalAndShowsTheTimeLeftFirst) {
  const Scratch scratch;
  const auto outcome = lethe(
      {"run", "smoke", "--out", scratch / "r", "--set", "data.train_per_class=40", "--set",
       "data.test_per_class=10", "--set", "forget.margin=0.99", "--set", "method.name=contrastive"},
      {.environment = {"TERM=xterm"}, .terminal_columns = 60});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  int lines = 0;
  for (size_t at = outcome.err.find("\r\033[Ktask "); at != std::string::npos;
       at = outcome.err.find("\r\033[Ktask ", at + 1)) {
    const auto line = outcome.err.substr(at + 4, outcome.err.find('\r', at + 1) - at - 4);
    EXPECT_LE(line.size(), 59u) << line;
    EXPECT_NE(line.find(" left | "), std::string::npos) << line;
    ++lines;
  }
  EXPECT_GT(lines, 0) << outcome.err;
}

TEST(CliTest, AMistakeOnTheCommandLineIsExitStatusTwoAndOneLine) {
  const Scratch scratch;
  expect_one_line_error(lethe({"-q"}), 2, "subcommand");
  expect_one_line_error(lethe({"run", "smoke", "--bogus"}), 2, "--bogus");
  expect_one_line_error(lethe({"rum"}), 2, "unknown command 'rum'; did you mean 'run'?");
  expect_one_line_error(lethe({"list", "xyzzy"}), 2, "unknown command 'xyzzy'; known: datasets");
  expect_one_line_error(lethe({"suite", "xyzzy"}), 2,
                        "unknown suite 'xyzzy'; known: defaults, demo");
  expect_one_line_error(lethe({"run", "smoke", "--seed", "-1"}), 2, "integer");
  expect_one_line_error(lethe({"run", "smoke", "--seed", "99999999999999999999"}), 2, "integer");
  expect_one_line_error(lethe({"suite", "demo", "--seeds", "0,x"}), 2, "integer");
  expect_one_line_error(lethe({"run", scratch.path().string()}), 2, "is a folder");
  expect_one_line_error(lethe({"run", "smok"}), 2, "did you mean 'smoke'?");
  expect_one_line_error(lethe({"run", "smoke", "--set", "train.epoch=3"}), 2,
                        "did you mean 'train.epochs'?");
  expect_one_line_error(lethe({"run", "smoke", "--set", "method.name=lfw"}), 2,
                        "did you mean 'lwf'?");
  expect_one_line_error(lethe({"run", "smoke", "--set", "data.name=shape"}), 2,
                        "did you mean 'shapes'?");
  expect_one_line_error(lethe({"run", "smoke", "--out", scratch / "r", "--set",
                               "requests=[{classes=[\"solid cirle\"], before_task=2}]"}),
                        2, "did you mean 'solid circle'?");
  EXPECT_FALSE(fs::exists(scratch.path() / "r"));
}

TEST(CliTest, MissingOrBrokenDataIsExitStatusThreeAndLeavesNoFolder) {
  const Scratch scratch;
  expect_one_line_error(lethe({"run", "cifar100", "--out", scratch / "r", "--set",
                               "data.root=" + (scratch / "none")}),
                        3, "none");
  EXPECT_FALSE(fs::exists(scratch.path() / "r"));

  expect_one_line_error(lethe({"data", "check", scratch / "none"}), 3, "no such folder or file");

  fs::create_directories(scratch.path() / "cifar");
  std::ofstream(scratch.path() / "cifar" / "train.bin") << "too short";
  std::ofstream(scratch.path() / "cifar" / "test.bin") << "too short";
  expect_one_line_error(lethe({"data", "check", scratch / "cifar"}), 3, "train.bin");
}

TEST(CliTest, DataCheckCountsClassesAndImages) {
  const auto outcome = lethe({"data", "check", "smoke"});

  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("12 classes"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("1800 training"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("the task plan matches the data: 2 tasks, 1 class to forget"),
            std::string::npos)
      << outcome.out;
}

TEST(CliTest, DryRunPrintsThePlanAndLeavesNoFolder) {
  const Scratch scratch;

  const auto outcome = lethe({"run", "smoke", "--dry-run", "--out", scratch / "r"});

  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("solid circle"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("time "), std::string::npos);
  EXPECT_NE(outcome.out.find("disk "), std::string::npos);
  EXPECT_FALSE(fs::exists(scratch.path() / "r"));
}

// The last event in the ledger of a run.
nlohmann::json last_ledger_line(const fs::path& run) {
  auto text = read_text(run / "ledger.jsonl");
  text.pop_back();
  return nlohmann::json::parse(text.substr(text.rfind('\n') + 1));
}

TEST(CliTest, ARunWritesAllItsFiles) {
  const Scratch scratch;
  const auto run = scratch.path() / "r";

  const auto outcome = lethe({"run", "smoke", "--out", run.string()});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* file :
       {"config.toml", "environment.json", "metrics.jsonl", "ledger.jsonl", "matrix.csv",
        "per_class.csv", "versions/002-learn/SHA256SUMS", "versions/002-learn/model.safetensors"}) {
    EXPECT_TRUE(fs::exists(run / file)) << file;
  }
  EXPECT_FALSE(fs::exists(run / "versions" / "partial"));
  EXPECT_NE(outcome.out.find("| after task |"), std::string::npos) << outcome.out;
  EXPECT_EQ(read_text(run / "config.toml").find("auto"), std::string::npos);
  // The model has learned, and lost accuracy on the forgotten class.
  const auto again = nlohmann::json::parse(lethe({"eval", run.string(), "--json"}).out);
  EXPECT_GT(again.at("A"), 0.4) << again;
  EXPECT_GT(again.at("A_all"), 0.0) << again;
  EXPECT_LE(again.at("A_all"), again.at("A")) << again;
  EXPECT_GT(again.at("F"), 0.0) << again;
  EXPECT_EQ(again.at("equal"), true);

  const auto ledger = last_ledger_line(run);
  EXPECT_EQ(ledger.at("requests").at(0).at("classes").at(0), "solid circle");
  EXPECT_EQ(ledger.at("model").at("before").get<std::string>().size(), 64u);
  EXPECT_NE(ledger.at("model").at("before"), ledger.at("model").at("after"));
  EXPECT_EQ(read_text(run / "per_class.csv").substr(0, 44),
            "task,class,name,group,correct,total,accuracy");

  // The folder now contains a run.
  expect_one_line_error(lethe({"run", "smoke", "--out", run.string()}), 2, "contains a run");
}

TEST(CliTest, ARequestAfterTheLastTaskIsRecordedAsNotCarriedOutByAMethodThatNeedsImages) {
  const Scratch scratch;
  const auto run = scratch.path() / "r";

  const auto outcome = with_few_images({"run", "smoke", "--set", "method.name=lwf*", "--out",
                                        run.string(), "--set", "train.max_steps=3", "--set",
                                        "requests=[{classes=[\"solid circle\"], before_task=3}]"});

  ASSERT_TRUE(outcome.status == 0 || outcome.status == 4) << outcome.err;
  EXPECT_NE(outcome.err.find("can do nothing for a request without images"), std::string::npos)
      << outcome.err;
  const auto ledger = last_ledger_line(run);
  EXPECT_EQ(ledger.at("steps"), 0);
  EXPECT_EQ(ledger.at("requests").at(0).at("effect"),
            "the method can do nothing without images: the model is unchanged");
}

TEST(CliTest, ALateRequestForAClassWithMergedImportanceIsInLogAndLedger) {
  const Scratch scratch;
  const auto with = [&](const char* per_class, const char* run) {
    return with_few_images({"run", "smoke", "--out", scratch / run, "--set", "method.name=ewc_star",
                            "--set", "stream.tasks=[3, 3, 3]", "--set", "train.max_steps=2",
                            "--set", "requests=[{classes=[\"solid circle\"], before_task=3}]",
                            "--set", std::string("method.ewc.per_class=") + per_class});
  };
  // After two steps the accuracy may or may not fall, and the ledger may contain a remark about
  // that.
  const auto merge_remarks = [&](const char* run) {
    const auto remarks = last_ledger_line(scratch.path() / run)
                             .at("requests")
                             .at(0)
                             .value("remarks", std::vector<std::string>{});
    return std::ranges::count_if(remarks, [](const std::string& remark) {
      return remark.find("importances contain") != std::string::npos;
    });
  };

  // The exit status is 4 if the class is not forgotten.
  const auto merged = with("false", "merged");
  ASSERT_TRUE(merged.status == 0 || merged.status == 4) << merged.err;
  EXPECT_NE(merged.err.find("importances contain 'solid circle'"), std::string::npos) << merged.err;
  EXPECT_EQ(merge_remarks("merged"), 1);

  const auto parted = with("true", "parted");
  ASSERT_TRUE(parted.status == 0 || parted.status == 4) << parted.err;
  EXPECT_EQ(parted.err.find("importances contain"), std::string::npos) << parted.err;
  EXPECT_EQ(merge_remarks("parted"), 0);
}

TEST(CliTest, ADamagedCheckpointIsExitStatusThree) {
  const Scratch scratch;
  const auto run = scratch.path() / "r";
  ASSERT_EQ(with_few_images(idle_run(run)).status, 0);
  {
    std::fstream file(run / "versions" / "002-learn" / "model.safetensors",
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('\x7f');
  }

  expect_one_line_error(lethe({"eval", run.string()}), 3, "model.safetensors: SHA-256 is");
  expect_one_line_error(lethe({"eval", scratch / "nothing"}), 3, "is not a run directory");
}

TEST(CliTest, ARecordWithoutTheEvaluationIsExitStatusThreeAndNamesTheFile) {
  const Scratch scratch;
  const auto run = scratch.path() / "r";
  ASSERT_EQ(with_few_images(idle_run(run)).status, 0);
  write_atomically(run / "metrics.jsonl", "");

  expect_one_line_error(lethe({"eval", run.string()}), 3, "metrics.jsonl: was changed");
}

// Such a run cannot be resumed, because it has no checkpoint, but it can be started again.
TEST(CliTest, ARunThatFailedBeforeItsFirstCheckpointCanBeStartedAgain) {
  const Scratch scratch;
  const auto run = scratch / "r";
  const auto outcome = with_few_images(
      {"run", "smoke", "--out", run, "--set", "train.lr=1e30", "--set", "train.batch=8"});
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("loss term"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("checkpoint is kept"), std::string::npos) << outcome.err;
  EXPECT_TRUE(fs::exists(fs::path(run) / "metrics.jsonl"));

  EXPECT_EQ(with_few_images(idle_run(run)).status, 0);
}

TEST(CliTest, AMissingRecordIsExitStatusThreeAndIsNotReplacedByAnEmptyFile) {
  const Scratch scratch;
  const auto run = scratch.path() / "r";
  ASSERT_EQ(with_few_images(idle_run(run)).status, 0);
  fs::remove(run / "metrics.jsonl");

  expect_one_line_error(with_few_images(idle_run(run, {"--resume"})), 3,
                        "metrics.jsonl: is missing");
  EXPECT_FALSE(fs::exists(run / "metrics.jsonl"));
}

TEST(CliTest, SegmentationKeysAreAnErrorInClassification) {
  expect_one_line_error(lethe({"run", "smoke", "--set", "method.contrastive.w_dis=1"}), 2,
                        "applies to segmentation only");
}

TEST(CliTest, DataCheckAcceptsTheNameOfADataset) {
  const auto outcome = lethe({"data", "check", "shapes"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("12 classes"), std::string::npos) << outcome.out;
}

TEST(CliTest, QuietMeansWarningsAndErrorsOnly) {
  const Scratch scratch;

  const auto outcome = with_few_images(idle_run(scratch.path() / "r", {"-q"}));

  EXPECT_EQ(outcome.status, 0);
  std::istringstream lines(outcome.err);  // one step teaches nothing, and the run says so
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("warning: ")) << line;
}

TEST(CliTest, AnUnwritableFolderIsAnError) {
  if (::geteuid() == 0) {
    expect_one_line_error(lethe({"run", "smoke", "--out", "/proc/lethe/run"}), 1,
                          "cannot be created");
  } else {
    expect_one_line_error(lethe({"run", "smoke", "--out", "/lethe/run"}), 1, "cannot be created");
  }
}

TEST(CliTest, AnOptionThatTheMethodDoesNotReadGivesAWarning) {
  const auto outcome = lethe({"run", "smoke", "--dry-run", "--set", "method.name=finetune", "--set",
                              "method.lwf.lambda=2"});

  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("method.lwf.lambda is set, but method 'finetune' does not use it"),
            std::string::npos)
      << outcome.err;
}

TEST(CliTest, AKeyWithoutEffectUnderTheResolvedSettingsGivesOneWarning) {
  const auto outcome =
      lethe({"run", "smoke", "--dry-run", "--set", "train.milestones=[3]", "--set",
             "method.name=contrastive", "--set", "method.contrastive.proto_momentum=0.5"});

  EXPECT_EQ(outcome.status, 0);
  for (const char* warning :
       {"warning: train.milestones = [3] has no effect: it needs train.schedule = \"step\"\n",
        "warning: method.contrastive.proto_momentum = 0.5 has no effect: it needs "
        "method.contrastive.proto_update = \"ema\"\n"}) {
    EXPECT_NE(outcome.err.find(warning), std::string::npos) << outcome.err;
  }
  const auto with_step = lethe({"run", "smoke", "--dry-run", "--set", "train.milestones=[3]",
                                "--set", "train.schedule=step"});
  EXPECT_EQ(with_step.err.find("no effect"), std::string::npos) << with_step.err;
}

TEST(CliTest, ARootForAGeneratedDatasetIsAnError) {
  expect_one_line_error(lethe({"run", "smoke", "--dry-run", "--set", "data.root=/tmp"}), 2,
                        "data.root = \"/tmp\": shapes does not read it: its images are generated");
}

TEST(CliTest, AKeyOfItsSectionThatTheMethodHasNoUseForIsWarnedOf) {
  const auto warning = [](const std::string& method) {
    return with_few_images({"run", "shapes_seg", "--dry-run", "--set", "method.name=" + method,
                            "--set", "method.kd.star=restrict"})
        .err;
  };

  EXPECT_NE(warning("lwf").find("method.kd.star is set, but method 'lwf' does not use it"),
            std::string::npos);
  EXPECT_EQ(warning("lwf*").find("does not use it"), std::string::npos);
}

TEST(CliTest, ImagesTooSmallForCodesAreAnErrorOnlyForMethodsWithCodes) {
  const Scratch scratch;
  const auto run = [&](const std::string& method) {
    return with_few_images(idle_run(scratch.path() / method,
                                    {"--set", "data.size=4", "--set", "method.name=" + method}));
  };

  expect_one_line_error(run("mc"), 2, "method.code.grid = 8");
  const auto outcome = run("finetune");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(CliTest, HeadsWithAnUnknownClassAreForSsulOnly) {
  expect_one_line_error(lethe({"run", "shapes_seg", "--dry-run", "--set", "method.name=mib",
                               "--set", "model.classifier=ssul"}),
                        2, "model.classifier = \"ssul\": method 'mib' does not use");
}

TEST(CliTest, TooFewStepsGiveAWarning) {
  const Scratch scratch;

  const auto outcome = lethe({"run", "smoke", "--out", scratch / "r", "--set",
                              "data.train_per_class=8", "--set", "train.epochs=1"});

  // 4: such a short run forgets its class or not.
  EXPECT_TRUE(outcome.status == 0 || outcome.status == 4) << outcome.err;
  EXPECT_NE(outcome.err.find("task 1 trains 1 step in 1 epoch of batches of 32"), std::string::npos)
      << outcome.err;
}

TEST(CliTest, HeldOutImagesReplaceTheTestImages) {
  const Scratch scratch;
  const auto run = scratch.path() / "r";

  const auto outcome =
      lethe({"run", "smoke", "--out", run.string(), "--set", "data.val_fraction=0.25", "--set",
             "data.train_per_class=40", "--set", "train.max_steps=1"});

  // 4: such a short run forgets its class or not.
  ASSERT_TRUE(outcome.status == 0 || outcome.status == 4) << outcome.err;
  EXPECT_NE(read_text(run / "config.toml").find("split = \"val\""), std::string::npos);
  EXPECT_NE(read_text(run / "per_class.csv").find(",10,"),
            std::string::npos);  // a quarter of 40 images per class
}

TEST(CliTest, TheThroughputOnABusyMachineIsMeasuredWithEverySpinCount) {
  const auto outcome =
      lethe({"bench", "busy", "--preset", "smoke", "--rounds", "1", "--steps", "1", "--set",
             "data.train_per_class=20", "--set", "data.test_per_class=5", "--threads", "1"});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const auto* row : {"| set by lethe", "| 1000", "| libgomp's default"}) {
    const auto first = outcome.out.find(row);
    ASSERT_NE(first, std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(row, first + 1), std::string::npos) << outcome.out;
  }
  EXPECT_NE(outcome.out.find("one busy process at nice 19"), std::string::npos) << outcome.out;
}

TEST(CliTest, TheCostOfTheTermsIsMeasuredInSegmentationToo) {
  const auto outcome =
      lethe({"bench", "terms", "--preset", "shapes_seg", "--rounds", "1", "--steps", "1", "--set",
             "data.train_per_class=8", "--set", "data.test_per_class=2", "--threads", "1"});

  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("shapes_seg 64x64, deeplabv3plus on resnet18"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("| 2    |"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace lethe::test
