#include "tools/suite/suite_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/method/registry.h"
#include "tests/support/scratch.h"
#include "tools/suite/layouts.h"
#include "tools/suite/suite_record.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

constexpr const char* kSmoke = "preset = \"smoke\"\n";

Suite parse(const std::string& toml) { return parse_suite(toml, "my.toml"); }

Suite parse_runs(const std::string& toml) { return parse(kSmoke + toml); }

Texts labels(const Suite& suite) {
  Texts all;
  for (const auto& run : suite.runs) all.push_back(run.label);
  return all;
}

Texts folders(const Suite& suite) {
  Texts all;
  for (const auto& run : suite.runs) all.push_back(run.folder);
  return all;
}

const SuiteRun& find_run(const Suite& suite, const std::string& label) {
  const auto found = std::find_if(suite.runs.begin(), suite.runs.end(),
                                  [&](const SuiteRun& run) { return run.label == label; });
  if (found == suite.runs.end()) throw Error("no run " + label + " in " + suite.name);
  return *found;
}

void expect_error(const std::string& toml, const std::string& part) {
  try {
    parse(toml);
    ADD_FAILURE() << "was read: " << toml;
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("my.toml")) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message << "\nexpected: " << part;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

void expect_run_error(const std::string& run, const std::string& part) {
  expect_error(kSmoke + ("[[run]]\n" + run), part);
}

// Built-in suites.

TEST(BuiltinSuitesTest, TheSuitesOfThePaperComeFirstAndEverySuiteHasItsFile) {
  Texts suites, searches;
  for (const auto& suite : builtin_suites()) {
    (suite.is_search ? searches : suites).push_back(suite.name);
    EXPECT_EQ(suite.is_search, !searches.empty()) << suite.name;
    const auto read = find_suite(suite.name);
    EXPECT_EQ(read.name, suite.name);
    EXPECT_FALSE(read.summary.empty()) << suite.name;
  }
  EXPECT_EQ(suites, (Texts{"defaults", "demo", "demo_all", "demo_seg", "fig-epochs",
                           "fig-sensitivity", "scenarios", "table1", "table2", "table2_restrict",
                           "table3", "table4", "table5"}));
  EXPECT_EQ(searches,
            (Texts{"background", "choices", "choices_masks", "contrastive_presets", "demo_tuning",
                   "mixing", "saliency", "table1_tuning", "table2_tuning"}));
}

TEST(BuiltinSuitesTest, EveryRecordOfTheRepositoryIsThatOfARunOfItsSuite) {
  const auto records = fs::path(LETHE_SOURCE_DIR) / "docs/results/records";
  std::map<std::string, Suite> suites;
  int64_t count = 0;
  for (const auto& entry : fs::directory_iterator(records)) {
    const auto record = read_record(entry.path());
    auto found = suites.find(record.suite);
    if (found == suites.end()) found = suites.emplace(record.suite, find_suite(record.suite)).first;
    const auto& suite = found->second;
    EXPECT_TRUE(suite.keeps_records) << suite.name;
    EXPECT_EQ(record_path(records, record, find_run(suite, record.label).folder), entry.path());
    const auto is_its_data = [&](const SuiteData& data) { return data.name == record.data; };
    EXPECT_TRUE(std::any_of(suite.profiles.begin(), suite.profiles.end(),
                            [&](const SuiteProfile& profile) {
                              return profile.name == record.profile &&
                                     std::any_of(profile.data.begin(), profile.data.end(),
                                                 is_its_data);
                            }))
        << entry.path();
    ++count;
  }
  EXPECT_GT(count, 100);
}

TEST(BuiltinSuitesTest, TableOneRunsEveryClassificationMethodWithItsSearchedWeights) {
  const auto suite = find_suite("table1");

  auto rows = MethodRegistry::builtin().names(Problem::kImages);
  rows.emplace_back("lwf* + uniform");
  EXPECT_EQ(labels(suite), rows);
  ASSERT_EQ(suite.profiles.size(), 3u);
  const auto& cpu = suite.profiles[0];
  EXPECT_EQ(cpu.name, "cpu");
  ASSERT_EQ(cpu.data.size(), 3u);
  EXPECT_EQ(cpu.data[1].name, "cub200");
  EXPECT_EQ(cpu.data[1].config, "cub200_cpu");
  EXPECT_EQ(cpu.data[1].folder, "CUB_200_2011");
  EXPECT_EQ(cpu.data[1].weights, (Texts{"resnet18-w16-s2-tinyimagenet32.safetensors"}));
  EXPECT_EQ(cpu.data[2].tuned.at("ewc*"), (Texts{"method.ewc.lambda=100"}));
  const auto& longer = suite.profiles[1];
  EXPECT_EQ(longer.name, "long");
  EXPECT_TRUE(longer.data[0].has(find_run(suite, "mc_e")));
  EXPECT_FALSE(longer.data[0].has(find_run(suite, "mc")));
  const auto& paper = suite.profiles[2];
  EXPECT_TRUE(paper.data[0].weights.empty());  // CIFAR-100 is trained from scratch
  EXPECT_EQ(paper.data[1].weights.size(), 2u);
  EXPECT_TRUE(paper.data[1].tuned.empty());
}

TEST(BuiltinSuitesTest, TableFourSwitchesTermsInTheOrderOfThePaper) {
  const auto suite = find_suite("table4");

  EXPECT_EQ(folders(suite),
            (Texts{"row1", "row2", "row3", "row4", "row5", "row6", "row7", "row8"}));
  const auto& run = find_run(suite, "+ in_p ex_p ex_d");
  EXPECT_EQ(run.method, "contrastive");
  EXPECT_EQ(run.sets, (Texts{"method.contrastive.w_in_p=1", "method.contrastive.w_ex_p=1",
                             "method.contrastive.w_in_d=0", "method.contrastive.w_ex_d=1"}));
  EXPECT_EQ(suite.profiles[1].data[1].sets,
            (Texts{"stream.tasks=[15, 5]", "method.contrastive.ce=unbiased",
                   "method.contrastive.dis_star=restrict", "method.contrastive.lambda_p=1",
                   "method.contrastive.lambda_d=1"}));
}

TEST(BuiltinSuitesTest, RunsAreNamedAfterMethodAndChange) {
  const auto tuning = find_suite("table1_tuning");
  EXPECT_EQ(find_run(tuning, "finetune lr_next=0.02").folder, "finetune-lr_next-0.02");
  EXPECT_EQ(find_run(tuning, "lwf* forgotten_target=uniform lambda=1").folder,
            "lwf_star-forgotten_target-uniform-lambda-1");
  EXPECT_EQ(find_run(tuning, "mc lambda_sf=3").sets.back(), "method.mc.lambda_sf=3");
  EXPECT_EQ(find_run(find_suite("choices"), "contrastive spaces=[\"F\", \"F*\"]").folder,
            "contrastive-spaces---F----Fs--");
  EXPECT_EQ(find_run(find_suite("table5"), "F, F*").sets.back(),
            "method.contrastive.spaces=[\"F\", \"F*\"]");
  EXPECT_EQ(find_run(find_suite("fig-sensitivity"), "1:10").folder, "1to10");
}

// The weights were searched once, on synthetic masks; four suites repeat them.
TEST(BuiltinSuitesTest, AMethodHasTheSameSearchedWeightsInEverySuiteOnDrawnMasks) {
  const auto tuned_in = [](const char* suite) {
    return find_suite(suite).profiles.front().data.front().tuned;
  };
  // By reading of the star: drop, then restrict.
  for (const auto& [first, others] : std::map<const char*, std::vector<const char*>>{
           {"table2", {"demo_seg"}}, {"table2_restrict", {"table3", "fig-epochs"}}}) {
    const auto expected = tuned_in(first);
    ASSERT_FALSE(expected.empty()) << first;
    for (const char* name : others) {
      const auto tuned = tuned_in(name);
      EXPECT_FALSE(tuned.empty()) << name;
      for (const auto& [label, sets] : tuned) EXPECT_EQ(sets, expected.at(label)) << name << label;
    }
  }
}

// Runs of an entry.

TEST(SuiteFileTest, AGridIsEveryCombinationTheLastKeyVaryingFastest) {
  const auto suite = parse_runs(R"([[run]]
methods = ["lwf_star", "finetune"]
grid = [{ key = "train.lr", values = [0.1, 1.0] }, { key = "stream.tasks", values = [[4, 4], [6, 2]] }]
)");
  EXPECT_EQ(labels(suite), (Texts{"lwf* lr=0.1 tasks=[4, 4]", "lwf* lr=0.1 tasks=[6, 2]",
                                  "lwf* lr=1 tasks=[4, 4]", "lwf* lr=1 tasks=[6, 2]",
                                  "finetune lr=0.1 tasks=[4, 4]", "finetune lr=0.1 tasks=[6, 2]",
                                  "finetune lr=1 tasks=[4, 4]", "finetune lr=1 tasks=[6, 2]"}));
  EXPECT_EQ(suite.runs[1].sets, (Texts{"train.lr=0.1", "stream.tasks=[6, 2]"}));
  EXPECT_EQ(suite.runs[1].method, "lwf*");
}

TEST(SuiteFileTest, ChoicesAreOneAtATimeOnTopOfWhatAllOfThemSet) {
  const auto suite = parse_runs(R"([[run]]
set = ["train.batch=16"]
section = "train"
choices = ["lr=0.1", ["lr=0.2", "momentum=0"]]
)");
  EXPECT_EQ(labels(suite), (Texts{"lr=0.1", "lr=0.2 momentum=0"}));
  EXPECT_EQ(folders(suite), (Texts{"lr-0.1", "lr-0.2-momentum-0"}));
  EXPECT_EQ(suite.runs[1].sets, (Texts{"train.batch=16", "train.lr=0.2", "train.momentum=0"}));
  EXPECT_EQ(suite.runs[1].method, "");
}

TEST(SuiteFileTest, AllMethodsAreThoseForTheKindOfData) {
  const auto all = [](const std::string& preset) {
    return labels(parse("preset = \"" + preset + "\"\nrun = [{ methods = \"all\" }]\n"));
  };
  EXPECT_EQ(all("smoke"), MethodRegistry::builtin().names(Problem::kImages));
  EXPECT_EQ(all("demo_seg"), MethodRegistry::builtin().names(Problem::kMasks));
}

TEST(SuiteFileTest, ALabelReplacesTheNameAndItsFolderBeginsWithTheMethod) {
  const auto suite = parse_runs(R"(run = [
  { method = "lwf*", label = "lwf* as printed" },
  { method = "lwf*", label = "own: words" },
  { method = "lwf*", label = "third", folder = "3" },
])");
  EXPECT_EQ(folders(suite), (Texts{"lwf_star-as-printed", "own--words", "3"}));
}

// Datasets and profiles.

TEST(SuiteFileTest, ADatasetTakesWhatItDoesNotGiveFromProfileAndSuite) {
  const auto suite = parse(R"(
preset = "smoke"
folder = "outer"
weights = ["w"]
set = ["train.epochs=1"]
run = [{ method = "lwf" }]
dataset = [{ name = "a", set = ["train.batch=4"] }]
[[profile]]
name = "one"
set = ["train.epochs=2"]
dataset = [{ name = "b", preset = "demo", folder = "own", weights = [] }]
[profile.tuned]
lwf = ["train.lr=0.3"]
[[profile]]
name = "two"
)");
  ASSERT_EQ(suite.profiles.size(), 2u);
  const auto& one = suite.profiles[0];
  ASSERT_EQ(one.data.size(), 2u);
  EXPECT_EQ(one.data[0].name, "a");
  EXPECT_EQ(one.data[0].config, "smoke");
  EXPECT_EQ(one.data[0].folder, "outer");
  EXPECT_EQ(one.data[0].sets, (Texts{"train.epochs=1", "train.epochs=2", "train.batch=4"}));
  EXPECT_EQ(one.data[1].config, "demo");
  EXPECT_EQ(one.data[1].folder, "own");
  EXPECT_TRUE(one.data[1].weights.empty());
  EXPECT_EQ(one.data[1].tuned.at("lwf"), (Texts{"train.lr=0.3"}));
  const auto& two = suite.profiles[1];
  ASSERT_EQ(two.data.size(), 1u);
  EXPECT_TRUE(two.data[0].tuned.empty());
  EXPECT_EQ(two.data[0].weights, (Texts{"w"}));
}

TEST(SuiteFileTest, RelativePathsCountFromTheFile) {
  const test::Scratch scratch;
  const auto folder = fs::absolute(scratch.path()).lexically_normal();
  write_atomically(folder / "conf.toml", "[data]\nname = \"shapes\"\n");
  write_atomically(folder / "values.toml", "[\"*\"]\nlwf = { A = 50 }\n");
  write_atomically(folder / "mine.toml", R"(
config = "conf.toml"
paper = "values.toml"
set = ["data.root=images"]
run = [{ method = "lwf", set = ["model.pretrained=weights/w.pth"] }]
)");
  const auto suite = find_suite((folder / "mine.toml").string());

  EXPECT_EQ(suite.name, "mine");
  const auto& data = suite.profiles.front().data.front();
  EXPECT_EQ(data.config, (folder / "conf.toml").string());
  EXPECT_EQ(data.sets, (Texts{"data.root=" + (folder / "images").string()}));
  EXPECT_EQ(suite.runs[0].sets, (Texts{"model.pretrained=" + (folder / "weights/w.pth").string()}));
  EXPECT_EQ(suite.paper.find("", "lwf").a, 50);
}

// Mistakes.

TEST(SuiteFileTest, AMistakeIsOneLineThatNamesFileAndKey) {
  const std::string run = "run = [{ method = \"lwf\" }]\n";
  expect_error("a = [", "my.toml:1: ");
  expect_error(kSmoke + run + "recrods = true\n", "unknown key 'recrods'; did you mean 'records'?");
  expect_error(kSmoke + run + "records = 1\n", "records = 1: must be true or false");
  expect_error(kSmoke + run + "layout = \"tabel1\"\n", "did you mean 'table1'?");
  expect_error(kSmoke + run + "layout = \"chart\"\n", "has charts, which need records = true");
  expect_error(kSmoke + run + "paper = \"table9\"\n", "paper = \"table9\": no published values");
  expect_error(kSmoke + run + "paper = \"none.toml\"\n", "none.toml: no such file");
  expect_error(kSmoke + run + "name = \"a/b\"\n", "name = \"a/b\": must be letters");
  expect_error(kSmoke, "has no [[run]]");
  expect_error(run, "needs a preset or a config");
  expect_error("preset = \"smoek\"\n" + run, "unknown preset 'smoek'; did you mean 'smoke'?");
  expect_error(kSmoke + ("config = \"x.toml\"\n" + run), "give preset or config, not both");
  expect_error("config = \"nowhere.toml\"\n" + run, "nowhere.toml");
  expect_error(kSmoke + run + "set = [\"train.lrr=1\"]\n",
               "set: unknown key 'train.lrr'; did you mean 'train.lr'?");
  expect_error(kSmoke + run + "set = [\"train.lr\"]\n", "expected KEY=VALUE");
  expect_error(kSmoke + run + "set = [\"train.lr=-1\"]\n", "train.lr = -1: must be > 0");
  expect_error(kSmoke + run + "set = [\"train.seed=1\"]\n", "--seeds");
  expect_error(kSmoke + run + "dataset = [{ nam = \"a\" }]\n",
               "dataset 1: unknown key 'nam'; did you mean 'name'?");
  expect_error(kSmoke + run + "dataset = [{ name = \"a\" }, { name = \"a\" }]\n",
               "dataset 2: name = \"a\": is the name of another dataset");
  expect_error(
      kSmoke + run + "dataset = [{ name = \"a\" }, { name = \"b\", preset = \"demo_seg\" }]\n",
      "datasets for classification and for segmentation");
  expect_error(kSmoke + run + "profile = [{ name = \"a\" }, { name = \"a\" }]\n",
               "profile 2: name = \"a\": is the name of another profile");
  expect_error(kSmoke + run + "dataset = 1\n", "dataset = 1: must be a list of tables");
  expect_error(kSmoke + run + "[tuned]\nlwg = [\"train.lr=1\"]\n",
               "tuned.\"lwg\": no run has this label; did you mean 'lwf'?");
  expect_error(kSmoke + run + "[tuned]\nlwf = \"train.lr=1\"\n",
               "'lwf' must be a list of KEY=VALUE");
}

TEST(SuiteFileTest, AMistakeInARunIsOneLineThatNamesIt) {
  expect_run_error("methd = \"lwf\"", "run 1: unknown key 'methd'; did you mean 'method'?");
  expect_run_error("method = \"lwg\"",
                   "run 1: 'lwg' is not a method for classification; did you mean 'lwf'?");
  expect_run_error("method = \"mib\"", "run 1: 'mib' is not a method for classification");
  expect_run_error("methods = [1]", "must be a list of methods, or \"all\"");
  expect_run_error("set = [\"train.lr=1\"]", "needs a method, a label, choices, a grid or rows");
  expect_run_error("method = \"lwf\"\nmethods = [\"lwf\"]", "method or methods, not both");
  expect_run_error("choices = [\"train.lr=1\"]\ngrid = [{ key = \"train.lr\", values = [1] }]",
                   "one of choices, grid and rows");
  expect_run_error("label = \"x\"\nchoices = [\"train.lr=1\"]", "are for a single run");
  expect_run_error("method = \"lwf\"\nsection = \"train\"", "section is for");
  expect_run_error("choices = [\"method.name=lwf\"]", "method or methods of [[run]]");
  expect_run_error("choices = [\"train.lrr=1\"]", "unknown key 'train.lrr'");
  expect_run_error("choices = []", "must be a list whose items");
  expect_run_error("grid = [{ key = \"train.lr\", value = [1] }]", "did you mean 'values'?");
  expect_run_error("grid = [{ key = \"train.lr\" }]", "must be a list of { key");
  expect_run_error("keys = [\"train.lr\"]", "keys and rows belong together");
  expect_run_error("keys = [\"train.lr\"]\nrows = [[\"a\", \"a\", 1, 2]]",
                   "row 'a' has 2 values for 1 key");
  expect_run_error("method = \"lwf\"\n[[run]]\nmethods = [\"mc\", \"lwf\"]",
                   "run 2: label 'lwf' is that of another run");
  expect_run_error("label = \"a b\"\n[[run]]\nlabel = \"a=b\"",
                   "has the folder a-b of another run");
}

TEST(SuiteFileTest, AConfigurationThatARunCouldNotUseIsOneLineThatNamesFileAndRun) {
  expect_run_error("method = \"contrastive\"\nchoices = [\"method.contrastive.w_ex_d=0\"]",
                   "my.toml: run 'contrastive w_ex_d=0': method.contrastive.w_ex_d: applies to "
                   "segmentation only");
  expect_error(kSmoke + std::string(R"(
dataset = [{ name = "a" }, { name = "b" }]
run = [{ method = "lwf" }, { method = "contrastive" }]
[tuned]
contrastive = ["method.contrastive.dis=literal"]
)"),
               "my.toml: run 'contrastive' on 'a': method.contrastive.dis: applies to");
}

TEST(SuiteFileTest, NamesThatMakeTheSameFolderTogetherAreRefused) {
  expect_error(kSmoke + std::string(R"(
dataset = [{ name = "a" }, { name = "a-b" }]
run = [{ label = "b-c" }, { label = "c" }]
)"),
               "run 'c' on 'a-b' has the folder of another run");
}

TEST(SuiteFileTest, AnUnknownSuiteIsOfferedTheNearestAndAMissingFileIsNamed) {
  const auto message = [](const std::string& name) -> std::string {
    try {
      find_suite(name);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "found";
  };
  EXPECT_NE(message("tabel1").find("did you mean 'table1'?"), std::string::npos);
  EXPECT_EQ(message("nowhere.toml"), "nowhere.toml: no such file");
}

std::string documentation() { return read_text(fs::path(LETHE_SOURCE_DIR) / "docs/suites.md"); }

// The TOML examples of docs/suites.md.
Texts documented_examples() {
  const auto document = documentation();
  const std::string fence = "```toml\n";
  Texts examples;
  for (auto at = document.find(fence); at != std::string::npos; at = document.find(fence, at)) {
    at += fence.size();
    examples.push_back(document.substr(at, document.find("```", at) - at));
  }
  return examples;
}

TEST(SuiteFileTest, TheExamplesOfTheDocumentationAreSuitesAsPrinted) {
  const auto examples = documented_examples();
  ASSERT_EQ(examples.size(), 4u);

  EXPECT_EQ(labels(parse(examples[0])), (Texts{"contrastive lr=0.02", "contrastive lr=0.05"}));
  const auto runs = parse(examples[1]);
  EXPECT_EQ(labels(runs), (Texts{"finetune", "lwf*", "contrastive", "contrastive lambda_d=3",
                                 "contrastive lambda_d=1 w_ex_p=0", "weak", "strong"}));
  EXPECT_EQ(parse(examples[2]).profiles.size(), 2u);
  EXPECT_EQ(PaperValues::parse(examples[3], "values.toml").find("any", "lwf*").a, 81.3);
  // The comments of the example name its runs.
  for (const auto& run : runs.runs)
    EXPECT_NE(examples[1].find(run.label), std::string::npos) << run.label;
}

TEST(SuiteFileTest, TheDocumentationNamesEveryKeyAndLayout) {
  const auto document = documentation();
  std::istringstream lines(describe_suite_file());
  int keys = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find(" = ");
    if (!line.starts_with("  ") || line[2] == ' ' || equals == std::string::npos) continue;
    const auto key = line.substr(2, equals - 2);
    EXPECT_NE(document.find('`' + key + '`'), std::string::npos) << key;
    ++keys;
  }
  EXPECT_GE(keys, 27);
  for (const auto& layout : layouts()) {
    const bool is_between =
        std::string(layout.name) > "table1" && std::string(layout.name) < "table5";
    EXPECT_TRUE(is_between || document.find(layout.name) != std::string::npos) << layout.name;
  }
}

}  // namespace
}  // namespace lethe
