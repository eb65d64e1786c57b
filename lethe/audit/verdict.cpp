#include "lethe/audit/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lethe/audit/page_text.h"
#include "lethe/core/short_list.h"
#include "lethe/report/table.h"

namespace lethe {

namespace {

std::vector<std::string> gated_with(const AuditRecord& record,
                                    const std::vector<Outcome>& outcomes) {
  std::vector<std::string> titles;
  for (const auto& check : record.checks) {
    if (check.gated && std::find(outcomes.begin(), outcomes.end(), check.outcome) != outcomes.end())
      titles.push_back(check.title);
  }
  return titles;
}

// Failed checks first, then those that are not decided.
int order_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFailed:
      return 0;
    case Outcome::kInconclusive:
      return 1;
    case Outcome::kPassed:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

AuditVerdict verdict_of(const AuditRecord& record) {
  const auto failed = gated_with(record, {Outcome::kFailed});
  if (!failed.empty())
    return {.outcome = Outcome::kFailed,
            .reason = fmt::format("failed: {}", fmt::join(failed, ", "))};
  const auto open = gated_with(record, {Outcome::kInconclusive, Outcome::kNotMeasured,
                                        Outcome::kNotAvailable, Outcome::kNeverLearned});
  if (!open.empty())
    return {.outcome = Outcome::kInconclusive,
            .reason = fmt::format("not decided: {}", fmt::join(open, ", "))};
  const auto passed = gated_with(record, {Outcome::kPassed});
  if (passed.empty())
    return {.outcome = Outcome::kInconclusive, .reason = "no gated check was measured"};
  return {.outcome = Outcome::kPassed,
          .reason = fmt::format("passed: {}", fmt::join(passed, ", "))};
}

int exit_status(const AuditVerdict& verdict) {
  return verdict.outcome == Outcome::kPassed ? 0 : verdict.outcome == Outcome::kFailed ? 4 : 5;
}

std::string summary_of(const AuditRecord& record) {
  const auto verdict = verdict_of(record);
  std::string text = fmt::format(
      "audit of {}, version {} (method {}): {}\n{}\nforgotten: {}\n", record.run, record.version,
      record.method, name_of(verdict.outcome), verdict.reason, short_list(record.forgotten));
  if (!record.never_learned.empty())
    text += fmt::format("never learned, not measured: {}\n", short_list(record.never_learned));
  auto checks = record.checks;
  std::stable_sort(checks.begin(), checks.end(), [](const CheckRecord& a, const CheckRecord& b) {
    return order_of(a.outcome) < order_of(b.outcome);
  });
  std::vector<std::vector<std::string>> cells;
  for (const auto& check : checks)
    cells.push_back({check.title + (check.gated ? " *" : ""), model_text(check),
                     reference_text(check), excess_text(check), margin_text(check),
                     name_of(check.outcome)});
  text += '\n' + markdown_table(
                     {"check", "model", "oracles", "excess (95 %)", "allowed", "outcome"}, cells);
  text += "* decides the exit status\n";
  return text;
}

const std::vector<std::string>& limits_of_audits() {
  static const std::vector<std::string> limits = {
      "An audit tries known ways to find a class. It is no proof that no other way exists.",
      "Oracles are a sample: other seeds would give other oracles. With one oracle their spread is "
      "not known.",
      "Copies of the model or of the data outside of the run directory are out of reach.",
      "Pretrained weights may have seen images like those of the class. That part is in the "
      "oracles "
      "as well, so an excess of 0 does not mean that nothing is known.",
      "A request is about classes. Single images or persons are not audited."};
  return limits;
}

}  // namespace lethe
