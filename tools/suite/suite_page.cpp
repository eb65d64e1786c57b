#include "tools/suite/suite_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/progress.h"
#include "lethe/core/text.h"
#include "lethe/data/options.h"
#include "tools/suite/layouts.h"
#include "tools/suite/suite_table.h"

namespace lethe {

namespace {

// The time of all runs, and the commits, versions and numbers of threads in the records, each once.
std::string origins(const std::vector<SuiteRecord>& records) {
  std::set<std::string> commits, versions, threads;
  double seconds = 0;
  for (const auto& record : records) {
    seconds += record.seconds;
    commits.insert(record.commit);
    versions.insert(record.libtorch);
    threads.insert(std::to_string(record.threads));
  }
  return fmt::format("{} of computing, commit {}, LibTorch {}, {} thread{}", duration_text(seconds),
                     fmt::join(commits, ", "), fmt::join(versions, ", "),
                     fmt::join(threads, " or "), threads == std::set<std::string>{"1"} ? "" : "s");
}

// Keys in which the suite lets its own rows differ.
std::set<std::string> varied_keys(const Suite& suite, const SuiteProfile& profile) {
  std::set<std::string> keys;
  const auto add = [&](const std::vector<std::string>& sets) {
    for (const auto& assignment : sets) keys.insert(assignment.substr(0, assignment.find('=')));
  };
  for (const auto& run : suite.runs) add(run.sets);
  for (const auto& data : profile.data) {
    for (const auto& [label, sets] : data.tuned) add(sets);
  }
  return keys;
}

constexpr const char* kLegend =
    "A: accuracy of kept classes, F: fall of accuracy of forgotten ones, S: their harmonic mean; "
    "percent";

}  // namespace

SuiteResults results_of(const Suite& suite, const SuiteProfile& profile,
                        const std::vector<SuiteRecord>& records) {
  const bool is_default = profile.name == suite.profiles.front().name;
  SuiteResults results = {.suite = suite.name,
                          .profile = profile.name,
                          .page = suite.page + (is_default ? "" : '-' + profile.name),
                          .data = {},
                          .labels = {},
                          .records = records,
                          .paper = suite.paper,
                          .with_features = suite.keeps_records};
  for (const auto& data : profile.data) {
    if (std::any_of(records.begin(), records.end(),
                    [&](const SuiteRecord& record) { return record.data == data.name; }))
      results.data.push_back(data.name);
  }
  for (const auto& run : suite.runs) results.labels.push_back(run.label);
  return results;
}

SuiteDocument document_of(const Suite& suite, const SuiteProfile& profile,
                          const SuiteResults& results) {
  auto document = find_layout(suite.layout).make(results);
  // Records may come from several calls with different settings.
  const auto mixed = suite.keeps_records
                         ? mixed_settings(results.records, varied_keys(suite, profile))
                         : std::string();
  if (!mixed.empty()) {
    log_warning("the table mixes settings: {}", mixed);
    document.body =
        fmt::format("**Mixed settings, no comparison:** {}\n\n{}", mixed, document.body);
  }
  return document;
}

std::string sentence(std::string summary) {
  if (summary.empty()) return summary;
  summary.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(summary.front())));
  return summary + '.';
}

std::string accuracy_note(const std::vector<SuiteRecord>& records) {
  const auto has_images = [](const SuiteRecord& record) {
    const auto name = record.identity.config.find("data.name");
    if (name == record.identity.config.end()) return false;
    const auto& all = builtin_datasets();
    return std::any_of(all.begin(), all.end(), [&](const DatasetEntry& entry) {
      return entry.problem == Problem::kImages && name->second == '"' + entry.name + '"';
    });
  };
  if (std::none_of(records.begin(), records.end(), has_images)) return "";
  const bool has_all = std::any_of(records.begin(), records.end(), [](const SuiteRecord& record) {
    return record.outcome.last.a_all.has_value();
  });
  return fmt::format(
      "A, F and S are measured with the task given: only the classes of its task compete.{}",
      has_all ? " \"A all\" is the accuracy of kept classes over all classes seen." : "");
}

std::string page_text(const Suite& suite, const SuiteResults& results, const std::string& how,
                      const std::string& body) {
  const bool several = std::any_of(
      results.records.begin(), results.records.end(),
      [&](const SuiteRecord& record) { return record.seed != results.records.front().seed; });
  const auto note = accuracy_note(results.records);
  return fmt::format("# Suite {}\n\n{}{}Written by {} ({}).\n{}{}.{}{}\n\n{}", suite.name,
                     sentence(suite.summary), suite.summary.empty() ? "" : " ", how,
                     origins(results.records), kLegend,
                     several ? ", mean and standard deviation over seeds" : "",
                     note.empty() ? "" : " ", note, body);
}

void write_page(const std::filesystem::path& folder, const Suite& suite,
                const SuiteResults& results, const std::string& name,
                const SuiteDocument& document) {
  const auto how = fmt::format(
      "`lethe suite {}{}` from {} in `records/`", name,
      results.profile == suite.profiles.front().name ? "" : " --profile " + results.profile,
      counted(static_cast<int64_t>(results.records.size()), "record"));
  write_atomically(folder / (results.page + ".md"), page_text(suite, results, how, document.body));
  for (const auto& [ending, text] : document.files)
    write_atomically(folder / (results.page + ending), text);
}

}  // namespace lethe
