#include "tools/suite/audit_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "lethe/audit/page_text.h"
#include "lethe/audit/verdict.h"
#include "lethe/core/progress.h"
#include "lethe/report/table.h"
#include "tools/suite/suite_table.h"

namespace lethe {

namespace {

using Records = std::vector<const SuiteRecord*>;

// The audited records of a dataset, in the order of the labels.
Records audited(const SuiteResults& results, const std::string& data) {
  Records found;
  for (const auto& label : results.labels) {
    for (const auto& record : results.records) {
      if (record.data == data && record.label == label && !record.audit.empty())
        found.push_back(&record);
    }
  }
  return found;
}

std::string row_name(const SuiteRecord& record) {
  return fmt::format("{}, seed {}", record.label, record.seed);
}

AuditVerdict verdict_of(const SuiteRecord& record) {
  AuditRecord audit;
  audit.checks = record.audit;
  return lethe::verdict_of(audit);
}

std::vector<std::string> titles_of(const Records& records) {
  std::vector<std::string> titles;
  for (const auto* record : records) {
    for (const auto& check : record->audit) {
      if (std::find(titles.begin(), titles.end(), check.title) == titles.end())
        titles.push_back(check.title);
    }
  }
  return titles;
}

const CheckRecord* find(const SuiteRecord& record, const std::string& title) {
  for (const auto& check : record.audit) {
    if (check.title == title) return &check;
  }
  return nullptr;
}

// What fails comes first.
std::string failures(const Records& records) {
  std::string text;
  for (const auto* record : records) {
    std::vector<std::string> failed;
    for (const auto& check : record->audit) {
      if (check.outcome == Outcome::kFailed)
        failed.push_back(fmt::format("{} ({})", check.title, excess_text(check)));
    }
    text += fmt::format(
        "- {}: {}\n", row_name(*record),
        failed.empty() ? "no check failed" : fmt::format("{}", fmt::join(failed, "; ")));
  }
  return "What failed:\n\n" + text;
}

std::string verdict_table(const Records& records) {
  std::vector<std::vector<std::string>> cells;
  for (const auto* record : records) {
    const auto verdict = verdict_of(*record);
    cells.push_back({row_name(*record), percent(record->outcome.last.a),
                     record->outcome.last.has_f ? percent(record->outcome.last.f) : "-",
                     name_of(verdict.outcome), verdict.reason});
  }
  return markdown_table({"run", "A", "F", "verdict", "reason"}, cells);
}

std::string check_table(const Records& records, const std::string& title) {
  std::vector<std::vector<std::string>> cells;
  for (const auto* record : records) {
    const auto* check = find(*record, title);
    if (check == nullptr) continue;
    const auto other = [](const std::optional<double>& value) {
      return value ? percent(*value) : std::string("-");
    };
    cells.push_back({row_name(*record), model_text(*check), reference_text(*check),
                     excess_text(*check), margin_text(*check), other(check->start),
                     other(check->pixels), name_of(check->outcome), check->note});
  }
  return fmt::format("### {}\n\n{}", title,
                     markdown_table({"run", "model", "oracles", "excess (95 %)", "allowed", "start",
                                     "pixels", "outcome", "remark"},
                                    cells));
}

// The oracles are shared, so each is listed once.
std::string cost_table(const Records& records) {
  std::map<std::string, const ReferenceRecord*> oracles;
  double requests = 0;
  for (const auto* record : records) {
    requests += record->audit_request_seconds / static_cast<double>(records.size());
    for (const auto& own : record->audit_references) oracles.emplace(own.model_hash, &own);
  }
  std::vector<std::vector<std::string>> cells = {
      {"events with requests, mean of the runs", duration_text(requests), "-"}};
  for (const auto& [hash, own] : oracles)
    cells.push_back({fmt::format("{}, seed {}", own->name, own->seed), duration_text(own->seconds),
                     std::to_string(own->images)});
  return "### Cost\n\n" + markdown_table({"", "time", "images trained on"}, cells);
}

}  // namespace

SuiteDocument audit_layout(const SuiteResults& results) {
  SuiteDocument document;
  for (const auto& data : results.data) {
    const auto records = audited(results, data);
    if (records.empty()) continue;
    document.body += fmt::format("{}## {}\n\n", document.body.empty() ? "" : "\n", data);
    document.body += failures(records) + '\n' + verdict_table(records);
    for (const auto& title : titles_of(records))
      document.body += '\n' + check_table(records, title);
    document.body += '\n' + cost_table(records);
  }
  document.body +=
      "\nExcess: the figure of the model minus the mean of the oracles, in points, with the ends "
      "of "
      "the one-sided 95 % intervals. docs/audit.md explains the checks and the outcomes.\n";
  document.files = {{".csv", records_csv(results)}, {".json", rows_json(results)}};
  return document;
}

}  // namespace lethe
