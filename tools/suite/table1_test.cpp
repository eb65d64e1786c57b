#include "tools/suite/table1.h"

#include <gtest/gtest.h>

#include "tools/suite/suite_file.h"
#include "tools/suite/suite_table.h"

namespace lethe {
namespace {

SuiteRecord record(const std::string& label, int64_t seed, double a, double f) {
  const Scores scores = {.a = a, .f = f, .s = harmonic_mean(a, f), .has_f = true};
  return {.suite = "table1",
          .profile = "cpu",
          .data = "cifar100",
          .label = label,
          .seed = seed,
          .outcome = {.after = {scores},
                      .last = scores,
                      .mean = scores,
                      .matrix = {{.after_task = 1, .task = 1, .cell = {.kept = {.accuracy = a}}}}}};
}

// The line that begins with the given words.
std::string line_with(const std::string& text, const std::string& words) {
  const auto at = text.find(words);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

SuiteResults results(std::vector<SuiteRecord> records) {
  return {.suite = "table1",
          .profile = "cpu",
          .data = {"cifar100"},
          .labels = {"finetune", "ewc", "ewc*", "lwf", "lwf*", "mc", "mc_e", "mc_m", "contrastive"},
          .records = std::move(records),
          .paper = builtin_paper_values("table1")};
}

TEST(SuiteTableTest, MeanAndDeviationOfTheSample) {
  const auto value = statistic({0.5, 0.7});
  EXPECT_DOUBLE_EQ(value.mean, 0.6);
  EXPECT_NEAR(value.deviation, 0.141421, 1e-6);
  EXPECT_EQ(percent(value), "60.0 +- 14.1");
  EXPECT_EQ(percent(statistic({0.5})), "50.0");
  EXPECT_EQ(percent(statistic({})), "-");
}

TEST(SuiteTableTest, WithoutARequestThereIsNoFAndNoS) {
  auto learned = record("finetune", 0, 0.5, 0.4);
  learned.outcome.last = {.a = 0.5, .a_all = 0.3};
  const auto document = plain_layout(results({learned}));

  EXPECT_NE(document.body.find("| finetune | 50.0 | - | - |  30.0 |"), std::string::npos)
      << document.body;
  EXPECT_EQ(document.files.at(0).first, ".csv");
  EXPECT_NE(document.files.at(0).second.find(",0.300000,"), std::string::npos)
      << document.files.at(0).second;
}

TEST(SuiteTableTest, WhatIsLeftIsTheLargestValueOverTheSeeds) {
  auto one = record("mc", 0, 0.5, 0.4);
  auto other = record("mc", 1, 0.5, 0.4);
  one.outcome.most_left = 0.03;
  other.outcome.most_left = 0.2;

  const auto body = plain_layout(results({one, other, record("lwf", 0, 0.6, 0.1)})).body;

  EXPECT_NE(line_with(body, "| mc ").find("| 20.0 |"), std::string::npos) << body;
  EXPECT_NE(line_with(body, "| lwf ").find("|    - |"), std::string::npos) << body;
}

TEST(SuiteTableTest, RowsOfDifferentSettingsAreNamed) {
  auto one = record("finetune", 0, 0.5, 0.4);
  auto two = record("lwf*", 0, 0.5, 0.4);
  one.identity.config = {{"train.epochs", "4"}, {"train.seed", "0"}, {"method.name", "finetune"}};
  two.identity.config = {{"train.epochs", "4"}, {"train.seed", "1"}, {"method.name", "lwf*"}};
  EXPECT_EQ(mixed_settings({one, two}, {}), "");

  two.identity.config["train.epochs"] = "2";
  EXPECT_EQ(mixed_settings({one, two}, {}), "cifar100: train.epochs is 2 in lwf*; 4 in finetune. ");

  EXPECT_EQ(mixed_settings({one, two}, {"train.epochs"}), "");

  two.data = "cub200";
  EXPECT_EQ(mixed_settings({one, two}, {}), "");
}

TEST(Table1Test, AccuracyOverAllClassesHasAColumnIfARecordHasIt) {
  auto with_all = record("lwf*", 0, 0.5, 0.4);
  with_all.outcome.last.a_all = 0.123;

  EXPECT_NE(table1_layout(results({with_all})).body.find("12.3"), std::string::npos);
  EXPECT_EQ(table1_layout(results({record("lwf*", 0, 0.5, 0.4)})).body.find("A all"),
            std::string::npos);
}

TEST(Table1Test, PaperValuesStandBesideOurOwnAndMcHasNone) {
  const auto body =
      table1_layout(results({record("lwf*", 0, 0.5, 0.4), record("mc", 0, 0.3, 0.2)})).body;

  const auto star = line_with(body, "| lwf*");
  EXPECT_NE(star.find("50.0"), std::string::npos) << body;
  EXPECT_NE(star.find("|    81.3 |    58.8 |    68.2 |"), std::string::npos) << body;
  EXPECT_NE(line_with(body, "| mc ").find("|         |         |         |"), std::string::npos)
      << body;
}

TEST(SuiteTableTest, APlainTableShowsPublishedValuesIfThereAreAny) {
  auto own = results({record("lwf*", 0, 0.5, 0.4)});
  EXPECT_EQ(line_with(plain_layout(own).body, "| lwf*"),
            "| lwf*   | 50.0 | 40.0 | 44.4 |    81.3 |    58.8 |    68.2 |");
  own.paper = {};
  EXPECT_EQ(line_with(plain_layout(own).body, "| lwf*"), "| lwf*   | 50.0 | 40.0 | 44.4 |");
}

TEST(SuiteTableTest, AQuoteInALabelIsDoubledInCsv) {
  auto own = results({record("a \"b\"", 0, 0.5, 0.4)});
  own.labels = {"a \"b\""};
  EXPECT_NE(records_csv(own).find("\ncifar100,\"a \"\"b\"\"\",0,0.5"), std::string::npos)
      << records_csv(own);
}

TEST(Table1Test, ATrendHoldsIsRefutedOrDrownsInTheSpread) {
  const auto verdict = [](std::vector<SuiteRecord> records) {
    auto two = results(std::move(records));
    two.labels = {"mc_e", "contrastive"};
    return line_with(table1_layout(two).body, "- contrastive has the best");
  };
  EXPECT_NE(verdict({record("contrastive", 0, 0.6, 0.6)}).find("**open**"), std::string::npos);
  EXPECT_NE(verdict({record("contrastive", 0, 0.6, 0.6), record("mc_e", 0, 0.5, 0.5)})
                .find("**holds (one seed)**"),
            std::string::npos);
  EXPECT_NE(verdict({record("contrastive", 0, 0.4, 0.4), record("mc_e", 0, 0.5, 0.5)})
                .find("**does not hold (one seed)**. S(contrastive) - S(mc_e) = -10.0"),
            std::string::npos);
  EXPECT_NE(verdict({record("contrastive", 0, 0.3, 0.3), record("contrastive", 1, 0.9, 0.9),
                     record("mc_e", 0, 0.5, 0.5), record("mc_e", 1, 0.6, 0.6)})
                .find("**undecided"),
            std::string::npos);
  EXPECT_NE(line_with(table1_layout(results({record("lwf", 0, 0.5, 0.1)})).body, "- the star")
                .find("**open**"),
            std::string::npos);
}

}  // namespace
}  // namespace lethe
