#include "tools/suite/paper_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tools/suite/suite_file.h"

namespace lethe {
namespace {

using Row = std::map<std::string, std::string>;  // by column

// The table of a section of the specification.
std::vector<Row> table_of(const std::string& section) {
  const auto text =
      read_text(std::filesystem::path(LETHE_SOURCE_DIR) / "docs" / "specification.md");
  const auto begin = text.find("```csv\n", text.find("\n### " + section + ' ')) + 7;
  std::istringstream lines(text.substr(begin, text.find("```", begin) - begin));
  const auto cells = [&](const std::string& line) {
    std::vector<std::string> list;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) list.push_back(part);
    return list;
  };
  std::string line;
  std::getline(lines, line);
  const auto header = cells(line);
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    const auto values = cells(line);
    Row row;
    for (size_t i = 0; i < header.size(); ++i) row[header[i]] = values.at(i);
    rows.push_back(std::move(row));
  }
  return rows;
}

size_t count_of(const PaperValues& values) {
  size_t count = 0;
  for (const auto& [data, column] : values.columns()) count += column.size();
  return count;
}

// The specification's name of a method in lower case, but for FT.
std::string method_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return name == "ft" ? "finetune" : name;
}

using Cells = std::vector<std::string>;

// columns: name in the specification, name of the dataset.
void expect_same(const std::string& paper, const std::string& section,
                 const std::map<std::string, std::string>& columns) {
  const auto values = builtin_paper_values(paper);
  const auto rows = table_of(section);
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    const auto label = method_of(row.at("method"));
    for (const auto& [column, data] : columns) {
      EXPECT_EQ(values.cells(data, label),
                (Cells{row.at(column + "_A"), row.at(column + "_F"), row.at(column + "_S")}))
          << paper << ' ' << data << ' ' << label;
    }
  }
  EXPECT_EQ(count_of(values), rows.size() * columns.size());
}

TEST(PaperValuesTest, TablesOneToThreeAreThoseOfTheSpecification) {
  expect_same("table1", "8.1", {{"cifar", "cifar100"}, {"cub", "cub200"}, {"cars", "cars"}});
  expect_same("table2", "8.2", {{"19-1", "19-1"}, {"15-5", "15-5"}, {"15-1", "15-1"}});
  expect_same("table3", "8.3", {{"forget1", "del1"}, {"forget5", "del5"}, {"forget10", "del10"}});
}

// The label of the run that gets exactly these assignments.
std::string label_of(const Suite& suite, const std::vector<std::string>& sets) {
  for (const auto& run : suite.runs) {
    if (run.sets == sets) return run.label;
  }
  return "";
}

TEST(PaperValuesTest, TableFourIsThatOfTheSpecificationRowByRow) {
  const auto suite = find_suite("table4");
  const auto rows = table_of("8.4");
  ASSERT_EQ(rows.size(), suite.runs.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> sets;
    for (const std::string term : {"in_p", "ex_p", "in_d", "ex_d"})
      sets.push_back("method.contrastive.w_" + term + '=' + rows[i].at("L_" + term));
    EXPECT_EQ(label_of(suite, sets), suite.runs[i].label);
    EXPECT_EQ(suite.paper.cells("15-5", suite.runs[i].label),
              (Cells{rows[i].at("A"), rows[i].at("F"), rows[i].at("S")}));
  }
  EXPECT_EQ(count_of(suite.paper), rows.size());
}

TEST(PaperValuesTest, TableFiveIsThatOfTheSpecificationRowByRow) {
  const auto suite = find_suite("table5");
  const auto rows = table_of("8.5");
  ASSERT_EQ(rows.size(), suite.runs.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::string spaces = "[\"F\"";
    if (rows[i].at("Fstar") == "1") spaces += ", \"F*\"";
    if (rows[i].at("Fstarstar") == "1") spaces += ", \"F**\"";
    EXPECT_EQ(suite.runs[i].sets.back(), "method.contrastive.spaces=" + spaces + ']');
    for (const char* data : {"19-1", "15-5", "15-1"})
      EXPECT_EQ(suite.paper.cells(data, suite.runs[i].label), (Cells{"", "", rows[i].at(data)}));
  }
  EXPECT_EQ(count_of(suite.paper), 3 * rows.size());
}

TEST(PaperValuesTest, ADatasetsOwnValuesComeBeforeThoseForEveryDataset) {
  const auto values =
      PaperValues::parse("[\"*\"]\nlwf = { A = 1 }\nmas = { S = 2 }\n[a]\nlwf = { A = 3 }\n", "x");
  EXPECT_EQ(values.cells("a", "lwf"), (Cells{"3.0", "", ""}));
  EXPECT_EQ(values.cells("b", "lwf"), (Cells{"1.0", "", ""}));
  EXPECT_EQ(values.cells("a", "mas"), (Cells{"", "", "2.0"}));
  EXPECT_EQ(values.cells("a", "mib"), (Cells{"", "", ""}));
}

TEST(PaperValuesTest, AMistakeNamesFileDatasetAndLabel) {
  const auto message = [](const std::string& toml) -> std::string {
    try {
      PaperValues::parse(toml, "v.toml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(message("[a]\n\"lwf*\" = { A = 101 }\n"),
            "v.toml: a.\"lwf*\": A = 101: must be in [0, 100]");
  EXPECT_EQ(message("[a]\nlwf = { B = 1 }\n"),
            "v.toml: a.\"lwf\": unknown key 'B'; did you mean 'A'?");
  EXPECT_NE(message("[a]\nlwf = 3\n").find("must be a table such as"), std::string::npos);
  EXPECT_NE(message("lwf = 3\n").find("must be a section"), std::string::npos);
}

}  // namespace
}  // namespace lethe
