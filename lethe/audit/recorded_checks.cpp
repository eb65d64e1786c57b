#include "lethe/audit/recorded_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lethe/record/scan.h"
#include "lethe/record/verify.h"
#include "lethe/report/table.h"

namespace lethe {

namespace {

constexpr double kOneSided = 1.6449;

// The accuracy of a class, as its verdict measures it: with the task given.
struct Accuracy {
  double value = 0;
  int64_t count = 0;
  int64_t hits = 0;
};
Accuracy accuracy_in(const EvaluationRow* row, ClassId id) {
  if (row == nullptr || static_cast<size_t>(id) >= row->classes.size()) return {};
  const auto& own = row->classes[static_cast<size_t>(id)];
  if (own.total == 0) return {};
  return {.value = static_cast<double>(own.correct) / static_cast<double>(own.total),
          .count = own.total,
          .hits = own.correct};
}

double variance(const Accuracy& own) {
  return own.value * (1 - own.value) / static_cast<double>(own.count);
}

}  // namespace

std::vector<CheckRecord> collateral_checks(const CheckRecord& empty, const Material& material,
                                           const AuditOptions& options) {
  std::vector<CheckRecord> records;
  const auto& subject = material.subject;
  std::set<int64_t> events;
  for (const auto& own : subject.forgotten) events.insert(own.event);
  for (const auto event : events) {
    auto record = empty;
    record.title = fmt::format("kept classes in event {}", event);
    record.figure = "fall of accuracy";
    Excess excess{.images = 0};
    double worst = -1, errors = 0;
    std::string worst_class;
    int64_t count = 0;
    for (const ClassId id : subject.kept) {
      const auto before = accuracy_in(subject.scores->version_row(event - 1), id);
      const auto after = accuracy_in(subject.scores->version_row(event), id);
      if (before.count == 0 || after.count == 0) continue;
      ++count;
      const double fall = before.value - after.value;
      excess.reference += before.value;
      excess.model += after.value;
      errors += variance(before) + variance(after);
      excess.images = excess.images == 0 ? after.count : std::min(excess.images, after.count);
      if (fall > worst) {
        worst = fall;
        worst_class = material.plan.class_name(id);
      }
      record.classes.push_back({.name = material.plan.class_name(id),
                                .model = after.value,
                                .oracle = std::nullopt,
                                .start = before.value,
                                .pixels = std::nullopt,
                                .hits = after.hits,
                                .images = after.count});
    }
    if (count == 0) {
      record.outcome = Outcome::kNotMeasured;
      record.note = "no kept class was evaluated before and after";
      records.push_back(std::move(record));
      continue;
    }
    const auto n = static_cast<double>(count);
    excess.reference /= n;
    excess.model /= n;
    excess.value = excess.reference - excess.model;
    // Both evaluations are on the same images; as if they were not, the interval is wider.
    excess.image_error = std::sqrt(errors) / n;
    excess.low = excess.value - kOneSided * excess.image_error;
    excess.high = excess.value + kOneSided * excess.image_error;
    record.excess = excess;
    record.margin = options.mean_fall;
    record.outcome =
        worst > options.kept_fall ? Outcome::kFailed : decide(excess, options.mean_fall);
    record.note = fmt::format("largest fall: {} by {} points (allowed: {})", worst_class,
                              percent(worst), percent(options.kept_fall));
    if (record.outcome == Outcome::kInconclusive)
      record.note += "; " + what_would_decide(excess, options.mean_fall, "test " + material.unit());
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<CheckRecord> relapse_checks(const CheckRecord& empty, const Material& material,
                                        const AuditOptions& options) {
  auto record = empty;
  record.title = "highest accuracy after the request";
  record.figure = "accuracy";
  const auto& subject = material.subject;
  double worst = -1, margin = 0;
  for (const auto& own : subject.forgotten) {
    if (!own.was_learned) continue;
    const auto rivals = material.rivals(own.id).size();
    for (int64_t event = own.event + 1; event <= subject.version; ++event) {
      const auto later = accuracy_in(subject.scores->end_row(event), own.id);
      if (later.count == 0) continue;
      const double chance = 1 / static_cast<double>(std::max<int64_t>(rivals, 1));
      ClassFigure shown{
          .name = fmt::format("{}, event {}", material.plan.class_name(own.id), event),
          .model = later.value,
          .oracle = chance,
          .hits = later.hits,
          .images = later.count};
      if (later.value - chance > worst - margin) {
        worst = later.value;
        margin = chance;
      }
      record.classes.push_back(std::move(shown));
    }
  }
  if (record.classes.empty()) {
    record.outcome = Outcome::kNotMeasured;
    record.note =
        "no later event with the class's row in place: an erased class cannot be answered. "
        "`lethe audit --all` measures its features after every event that has a version";
    return {record};
  }
  record.excess = Excess{.model = worst,
                         .reference = margin,
                         .value = worst - margin,
                         .low = worst - margin,
                         .high = worst - margin};
  record.margin = options.outputs_margin;
  record.outcome = decide(*record.excess, options.outputs_margin);
  record.note = "the largest over classes and events; a point figure, without an interval";
  return {record};
}

std::vector<CheckRecord> files_checks(const CheckRecord& empty, const Material& material) {
  auto record = empty;
  record.title = "files";
  record.figure = "rows of erased classes found";
  const auto scan = scan_run(material.subject.run);
  const auto verified = verify_run(material.subject.run);
  const bool clean = scan.found.empty() && scan.kept.empty() && verified.passed();
  record.outcome = clean ? Outcome::kPassed : Outcome::kFailed;
  record.note = fmt::format("{} rows searched for in {} files, {} files compared with the ledger",
                            scan.marks, scan.files, verified.files);
  for (const auto* found : {&scan.found, &scan.kept, &verified.problems}) {
    for (const auto& one : *found) record.note += "; " + one;
  }
  if (scan.marks == 0 && clean) {
    record.outcome = Outcome::kNotMeasured;
    record.note = "no class was erased yet: there is nothing to search for";
  }
  return {record};
}

}  // namespace lethe
