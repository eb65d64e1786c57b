#include "tools/suite/mask_tables.h"

#include <gtest/gtest.h>

#include "tools/suite/sensitivity.h"
#include "tools/suite/suite_file.h"
#include "tools/suite/suite_table.h"

namespace lethe {
namespace {

SuiteRecord record(const std::string& data, const std::string& label, double a, double f,
                   double background = 0.5) {
  const Scores scores = {.a = a, .f = f, .s = harmonic_mean(a, f), .has_f = true};
  RunOutcome outcome;
  outcome.after = {scores};
  outcome.last = outcome.mean = scores;
  outcome.predicted_as = {.background = background};
  outcome.predicted_as->kept = 0.25;
  outcome.by_iou = Scores{.a = 0.55, .f = 0.45, .has_f = true};
  outcome.features = {
      .distance = 1.5, .probe_before = 0.9, .probe = 0.71, .shots_before = 0.8, .shots = 0.34};
  return {.suite = "t", .profile = "cpu", .data = data, .label = label, .outcome = outcome};
}

SuiteResults results(std::vector<std::string> data, std::vector<std::string> labels,
                     std::vector<SuiteRecord> records) {
  return {.suite = "t",
          .profile = "cpu",
          .page = "t",
          .data = std::move(data),
          .labels = std::move(labels),
          .records = std::move(records),
          .paper = {}};
}

std::vector<std::string> labels_of(const std::string& suite) {
  std::vector<std::string> labels;
  for (const auto& run : find_suite(suite).runs) labels.push_back(run.label);
  return labels;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MaskTablesTest, ARowCarriesScoresFeatureFiguresAndThePapersValues) {
  auto one = results({"15-5"}, {"lwf*"}, {record("15-5", "lwf*", 0.7, 0.6)});
  one.paper = builtin_paper_values("table2");
  const auto body = table2_layout(one).body;
  const auto row = body.substr(body.find("| lwf*"));
  for (const char* cell : {"70.0", "60.0", "64.6", "55.0", "45.0", "50.0", "25.0", "90.0 -> 71.0",
                           "80.0 -> 34.0", "66.7", "61.0", "63.7"})
    EXPECT_TRUE(has(row, cell)) << cell << '\n' << body;
}

TEST(MaskTablesTest, ThePlainLayoutShowsIouAndWhereForgottenPixelsWent) {
  const auto body =
      plain_layout(results({"15-5"}, {"lwf*"}, {record("15-5", "lwf*", 0.7, 0.6)})).body;

  EXPECT_TRUE(has(body, "| A IoU | F IoU | to background | to kept |")) << body;
  EXPECT_TRUE(has(body, "|  55.0 |  45.0 |          50.0 |    25.0 |")) << body;
}

TEST(MaskTablesTest, TableFourKnowsEveryRowOfThePaper) {
  const auto labels = labels_of("table4");
  std::vector<SuiteRecord> records;
  for (const auto& label : labels) {
    const bool all = label == "all";
    const bool in_p = all || has(label, "in_p");
    const bool in_d = all || has(label, "in_d");
    const bool ex_d = all || has(label, "ex_d");
    records.push_back(
        record("15-5", label, in_d && !in_p ? 0.4 : 0.6, in_d ? 0.8 : 0.5, ex_d ? 0.9 : 0.5));
  }
  auto all = results({"15-5"}, labels, records);
  all.paper = builtin_paper_values("table4");
  const auto body = table4_layout(all).body;
  for (const char* value : {"63.9", "60.4", "61.0", "59.6", "63.5", "71.0", "61.2", "72.9"})
    EXPECT_TRUE(has(body, value)) << value << '\n' << body;
  EXPECT_TRUE(has(body, "costs A (the paper: 20): **holds (one seed)**")) << body;
  EXPECT_TRUE(has(body, "win A back: **holds (one seed)**")) << body;
  EXPECT_TRUE(has(body, "to the background: **holds (one seed)**")) << body;
}

TEST(MaskTablesTest, TableThreeSaysWhetherFFallsWithTheNumberOfClasses) {
  const auto body =
      table3_layout(results({"del1", "del5", "del10"}, {"lwf*", "sdr*"},
                            {record("del1", "lwf*", 0.7, 0.8), record("del5", "lwf*", 0.7, 0.6),
                             record("del10", "lwf*", 0.7, 0.4), record("del1", "sdr*", 0.7, 0.1),
                             record("del5", "sdr*", 0.7, 0.3)}))
          .body;
  EXPECT_TRUE(has(body,
                  "lowers F of lwf*: **holds (one seed)**. F(del1) - F(del5) = +20.0; F(del5) - "
                  "F(del10) = +20.0"))
      << body;
  EXPECT_TRUE(has(body, "lowers F of sdr*: **does not hold (one seed)**")) << body;
}

TEST(MaskTablesTest, TheFigureOverEpochsIsTwoPictures) {
  auto one = record("15-5", "lwf*", 0.7, 0.6);
  one.outcome.epochs = {{0, 0.9, 0}, {1, 0.5, 0.4}, {2, 0.1, 0.7}};
  const auto document = epochs_layout(results({"15-5"}, {"lwf*", "mib*"}, {one}));
  int pictures = 0;
  for (const auto& [ending, text] : document.files) {
    if (!ending.ends_with(".svg")) continue;
    ++pictures;
    EXPECT_TRUE(has(text, "lwf*")) << ending;
  }
  EXPECT_EQ(pictures, 2);
}

TEST(MaskTablesTest, TheFigureOverEpochsSaysWhoForgetsAtOnce) {
  auto slow = record("15-5", "mib*", 0.7, 0.6);
  slow.outcome.epochs = {{0, 0.9, 0}, {1, 0.5, 0.4}, {2, 0.4, 0.7}};
  auto quick = record("15-5", "contrastive", 0.7, 0.6);
  quick.outcome.epochs = {{0, 0.9, 0}, {1, 0.1, 0.4}, {2, 0, 0.7}};
  const std::vector<std::string> labels = {"mib*", "contrastive"};

  const auto body = epochs_layout(results({"15-5"}, labels, {slow, quick})).body;
  EXPECT_TRUE(has(body, "others take longer: **holds (one seed)**")) << body;
  EXPECT_TRUE(has(body, "| 5-shot forgotten")) << body;

  std::swap(slow.outcome.epochs, quick.outcome.epochs);
  EXPECT_TRUE(has(epochs_layout(results({"15-5"}, labels, {slow, quick})).body,
                  "others take longer: **does not hold (one seed)**"));
}

TEST(MaskTablesTest, TheSweepOfWeightsHasAPictureForEveryColumnAndItsTrends) {
  const auto labels = labels_of("fig-sensitivity");
  std::vector<SuiteRecord> records;
  for (size_t i = 0; i < labels.size(); ++i) {
    const double step = 0.05 * static_cast<double>(i);
    for (const char* data : {"one", "two"})
      records.push_back(record(data, labels[i], 0.8 - step, 0.5 + step));
  }
  const auto document = sensitivity_layout(results({"one", "two"}, labels, records));
  std::vector<std::string> pictures;
  for (const auto& [ending, text] : document.files) {
    if (ending.ends_with(".svg")) pictures.push_back(ending);
  }
  EXPECT_EQ(pictures, (std::vector<std::string>{".svg", "-two.svg"}));
  EXPECT_TRUE(has(document.body, "raises A and lowers F: **holds (one seed)**")) << document.body;
  EXPECT_TRUE(has(document.body, "raises F and lowers A: **holds (one seed)**")) << document.body;
}

TEST(MaskTablesTest, AChartOfAnySweepHasItsLabelsAndNoTrends) {
  const auto document =
      chart_layout(results({""}, {"lr=0.1", "lr=0.2"},
                           {record("", "lr=0.1", 0.7, 0.6), record("", "lr=0.2", 0.8, 0.5)}));
  ASSERT_EQ(document.files.back().first, ".svg");
  EXPECT_TRUE(has(document.files.back().second, "lr=0.2"));
  EXPECT_TRUE(has(document.body, "(t.svg)")) << document.body;
  EXPECT_FALSE(has(document.body, "Trends")) << document.body;
}

TEST(MaskTablesTest, ATrendOverAllMethodsIsOpenUntilAllWereRun) {
  const auto body = table2_layout(results({"15-5"}, {"lwf*", "contrastive"},
                                          {record("15-5", "contrastive", 0.7, 0.8)}))
                        .body;
  EXPECT_TRUE(has(body, "contrastive has the best S: **open**. S(contrastive) > S(lwf*): not run"))
      << body;
  EXPECT_TRUE(has(body, "about equally well (within 5 points): **open**")) << body;
}

}  // namespace
}  // namespace lethe
