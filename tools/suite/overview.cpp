#include "tools/suite/overview.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/progress.h"
#include "lethe/core/text.h"
#include "lethe/report/table.h"
#include "tools/suite/suite_file.h"
#include "tools/suite/suite_page.h"
#include "tools/suite/suite_table.h"

namespace lethe {

namespace {

namespace fs = std::filesystem;

constexpr const char* kIntroduction =
    "Every page below is made from records: small files in `records/`, one for each finished run. "
    "`lethe suite NAME --from-records` writes a page again and trains nothing. To repeat the runs "
    "themselves, give a new folder with `--results FOLDER`. A suite that was stopped continues "
    "with `--resume`. `DIR` is a folder that holds the datasets in their official layout, and "
    "pretrained weights in `DIR/weights` (data.md, weights.md). On the same machine with the same "
    "number of threads, a repeated run gives the same bits.\n\n"
    "Time is that of all runs together, with one thread each. Other processes often ran at the "
    "same time, so a quiet machine needs less. Best S is the row with the highest mean S.\n";

struct Part {
  Suite suite;
  SuiteProfile profile;
  SuiteResults results;
  SuiteDocument document;
};

std::vector<const SuiteRecord*> records_of(const SuiteResults& results, const std::string& data) {
  std::vector<const SuiteRecord*> own;
  for (const auto& record : results.records) {
    if (record.data == data) own.push_back(&record);
  }
  return own;
}

std::string seeds_of(const SuiteResults& results, const std::string& data) {
  std::set<int64_t> seeds;
  for (const auto* record : records_of(results, data)) seeds.insert(record->seed);
  return fmt::format("{}", fmt::join(seeds, ","));
}

// The command that makes the records of some datasets.
std::string part_command(const Part& part, const std::string& seeds,
                         const std::vector<std::string>& data) {
  const auto& profile = part.profile;
  std::string command = "lethe suite " + part.suite.name;
  if (profile.name != part.suite.profiles.front().name) command += " --profile " + profile.name;
  if (data.size() < profile.data.size())
    command += fmt::format(" --datasets {}", fmt::join(data, ","));
  if (seeds != "0") command += " --seeds " + seeds;
  const bool has_folder =
      std::any_of(profile.data.begin(), profile.data.end(), [&](const SuiteData& one) {
        return !one.folder.empty() && std::find(data.begin(), data.end(), one.name) != data.end();
      });
  if (has_folder) command += " --data DIR";
  return command + " --threads 1 --resume\n";
}

// One command for all datasets with the same seeds.
std::string commands_of(const Part& part) {
  std::map<std::string, std::vector<std::string>> by_seeds;
  for (const auto& data : part.results.data) by_seeds[seeds_of(part.results, data)].push_back(data);
  std::string text;
  for (const auto& [seeds, data] : by_seeds) text += part_command(part, seeds, data);
  return text;
}

std::string table_of(const Part& part) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& data : part.results.data) {
    const auto own = records_of(part.results, data);
    double seconds = 0;
    for (const auto* record : own) seconds += record->seconds;
    const auto rows = table_rows(part.results, data);
    const auto best =
        std::max_element(rows.begin(), rows.end(),
                         [](const TableRow& x, const TableRow& y) { return x.s.mean < y.s.mean; });
    cells.push_back(
        {data.empty() ? "-" : data, std::to_string(own.size()), seeds_of(part.results, data),
         duration_text(seconds),
         best == rows.end() ? "-" : fmt::format("{} ({})", best->label, percent(best->s))});
  }
  return markdown_table({"dataset", "runs", "seeds", "time", "best S"}, cells);
}

// The statements of the paper by their verdict, a line for each dataset and verdict.
std::string trends_of(const Part& part) {
  std::string text;
  for (const auto& [data, trends] : part.document.trends) {
    std::vector<std::pair<std::string, std::vector<std::string>>> by_verdict;
    for (const auto& one : trends) {
      if (one.verdict.empty()) continue;
      const auto found = std::find_if(by_verdict.begin(), by_verdict.end(), [&](const auto& entry) {
        return entry.first == one.verdict;
      });
      if (found == by_verdict.end()) {
        by_verdict.push_back({one.verdict, {one.what}});
      } else {
        found->second.push_back(one.what);
      }
    }
    for (const auto& [verdict, what] : by_verdict)
      text += fmt::format("- {}{}**{}**: {}\n", data, data.empty() ? "" : ", ", verdict,
                          fmt::join(what, "; "));
  }
  return text.empty() ? text : "\n" + text;
}

std::string section_of(const Part& part, const fs::path& results, const fs::path& folder) {
  const auto page = (results / (part.results.page + ".md")).lexically_relative(folder);
  return fmt::format("\n### [{}]({})\n\n{}\n\n```\n{}```\n\n{}{}", part.results.page,
                     page.generic_string(), sentence(part.suite.summary), commands_of(part),
                     table_of(part), trends_of(part));
}

}  // namespace

int64_t write_overview(const fs::path& results, const fs::path& file) {
  const auto folder = file.parent_path();
  int64_t count = 0;
  std::string paper, others, searches;
  for (const auto& [name, toml, is_search] : builtin_suites()) {
    const auto suite = find_suite(name);
    if (!suite.keeps_records) continue;
    for (const auto& profile : suite.profiles) {
      const auto records = read_records(results / "records", suite.name, profile.name);
      if (records.empty()) continue;
      count += static_cast<int64_t>(records.size());
      Part part = {suite, profile, results_of(suite, profile, records), {}};
      part.document = document_of(suite, profile, part.results);
      write_page(results, suite, part.results, name, part.document);
      auto& group = is_search ? searches : part.document.trends.empty() ? others : paper;
      group += section_of(part, results, folder);
    }
  }
  if (count == 0)
    throw_error<DataError>("{}: no records of a suite", (results / "records").string());
  auto text = fmt::format("# Reproducing the results\n\n{}", kIntroduction);
  for (const auto& [title, group] :
       {std::pair{"The paper's tables and figures", paper}, std::pair{"Other tables", others},
        std::pair{"Searches for settings", searches}}) {
    if (!group.empty()) text += fmt::format("\n## {}\n{}", title, group);
  }
  write_atomically(file, text);
  return count;
}

}  // namespace lethe
