#include "lethe/record/recorder.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lethe/core/safetensors.h"
#include "lethe/record/csv_tables.h"
#include "lethe/record/evaluations.h"
#include "lethe/record/run_files.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

// Sums since the last line of metrics.jsonl.
struct Recorder::StepSum {
  int64_t steps = 0;
  int64_t images = 0;
  double seconds = 0;
  double loss = 0;
  double lr = 0;  // learning rate of the last step
  double grad_norm = 0;
  std::vector<TermValue> terms;         // with the last measured gradient
  std::map<std::string, double> notes;  // sums
};

namespace {

// JSON has no NaN.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

ordered_json score_json(const Scores& scores) {
  const auto known = [](bool has, double value) { return has ? json(value) : json(nullptr); };
  ordered_json line = {{"A", known(scores.has_a, scores.a)},
                       {"F", known(scores.has_f, scores.f)},
                       {"S", known(scores.has_a && scores.has_f, scores.s)}};
  if (scores.a_all) line["A_all"] = *scores.a_all;
  return line;
}

}  // namespace

Recorder::Recorder(const fs::path& run, const TaskPlan& plan, const MetricOptions& metric,
                   int64_t log_steps)
    : run_(run),
      plan_(plan),
      log_steps_(log_steps),
      table_(plan, metric),
      metrics_(run / kMetricsFile),
      sum_(std::make_unique<StepSum>()) {}

Recorder::~Recorder() = default;

void Recorder::start_afresh() {
  metrics_.truncate(0);
  table_.clear();
  *sum_ = {};
}

void Recorder::on(const StepDone& event) {
  if (sum_->steps == 0) sum_->terms = {};
  for (size_t i = 0; i < event.terms.size(); ++i) {
    if (i >= sum_->terms.size())
      sum_->terms.push_back({event.terms[i].name, 0, event.terms[i].weight, {}});
    sum_->terms[i].value += event.terms[i].value;
    if (event.terms[i].gradient) sum_->terms[i].gradient = event.terms[i].gradient;
  }
  for (const auto& [name, value] : event.notes) sum_->notes[name] += value;
  ++sum_->steps;
  sum_->images += event.images;
  sum_->seconds += event.seconds;
  sum_->loss += event.loss;
  sum_->grad_norm += event.grad_norm;
  sum_->lr = event.lr;
  if (sum_->steps >= log_steps_) write_step_line(event.position);
}

void Recorder::write_step_line(const Position& position) {
  const auto steps = static_cast<double>(sum_->steps);
  double gradients = 0;
  for (const auto& term : sum_->terms) gradients += term.gradient.value_or(0);
  ordered_json terms = ordered_json::object();
  for (const auto& term : sum_->terms) {
    auto& entry = terms[term.name];
    entry = {{"value", number(term.value / steps)}, {"weight", term.weight}};
    if (!term.gradient) continue;
    entry["gradient"] = number(*term.gradient);
    entry["share"] = number(gradients > 0 ? *term.gradient / gradients : 0);
  }
  ordered_json line = {{"type", "steps"},
                       {"task", position.task},
                       {"epoch", position.epoch + 1},
                       {"step", position.step + 1},
                       {"steps", sum_->steps},
                       {"lr", sum_->lr},
                       {"loss", number(sum_->loss / steps)},
                       {"grad_norm", number(sum_->grad_norm / steps)},
                       {"terms", terms},
                       {"time", {{"seconds", sum_->seconds}, {"images", sum_->images}}}};
  for (const auto& [name, value] : sum_->notes) line["notes"][name] = number(value);
  metrics_.append(line.dump());
  *sum_ = {};
}

void Recorder::on(const EpochDone& event) {
  if (sum_->steps > 0) {
    Position last = event.position;
    last.step -= 1;  // the last completed step
    write_step_line(last);
  }
  const ordered_json line = {{"type", "epoch"},
                             {"task", event.position.task},
                             {"epoch", event.position.epoch + 1},
                             {"step", event.position.step},
                             {"time", event.phase_seconds}};
  metrics_.append(line.dump());
}

void Recorder::on(const Evaluated& event) {
  const auto& position = event.position;
  const bool within = event.moment == Moment::kEpoch;
  auto row = to_row(event.evaluation, position.task, within ? position.epoch + 1 : position.epoch,
                    event.moment);
  metrics_.append(to_json(row, plan_, event.evaluation.images).dump());
  table_.add(std::move(row));
  if (event.moment != Moment::kEnd) return;
  write_scores();
  write_tables();
}

// Writes the scores of the newest evaluation.
void Recorder::write_scores() {
  const int64_t task = table_.rows().back().task;
  ordered_json scores = {{"type", "scores"}, {"task", task}};
  scores.update(score_json(table_.scores_after(task)));
  scores["mean"] = score_json(table_.mean_scores());
  metrics_.append(scores.dump());
}

void Recorder::rescore() {
  metrics_.truncate(metrics_.lines() - 1);
  write_scores();
}

json Recorder::save() {
  metrics_.sync();
  json terms = json::array();
  for (const auto& term : sum_->terms)
    terms.push_back({{"name", term.name},
                     {"value", term.value},
                     {"weight", term.weight},
                     {"gradient", term.gradient ? json(*term.gradient) : json(nullptr)}});
  // Lines, not bytes: wall times change the length of lines between identical runs.
  return {{"metrics_lines", metrics_.lines()},
          {"sum",
           {{"steps", sum_->steps},
            {"images", sum_->images},
            {"loss", sum_->loss},
            {"lr", sum_->lr},
            {"grad_norm", sum_->grad_norm},
            {"terms", terms},
            {"notes", sum_->notes}}}};
}

void Recorder::restore(const json& state) {
  const auto& sum = state.at("sum");
  *sum_ = {.steps = sum.at("steps"),
           .images = sum.at("images"),
           .seconds = 0,
           .loss = sum.at("loss"),
           .lr = sum.at("lr"),
           .grad_norm = sum.at("grad_norm"),
           .terms = {},
           .notes = sum.value("notes", std::map<std::string, double>{})};
  for (const auto& term : sum.at("terms"))
    sum_->terms.push_back({term.at("name"), term.at("value"), term.at("weight"),
                           term.at("gradient").is_null()
                               ? std::nullopt
                               : std::optional<double>(term.at("gradient"))});
  // The tables first: as long as metrics.jsonl has more lines, they need not fit the ledger.
  const int64_t lines = state.at("metrics_lines");
  table_.clear();
  for (auto& row : read_evaluations(run_ / kMetricsFile, lines)) table_.add(std::move(row));
  write_tables();
  metrics_.truncate(lines);
}

void Recorder::write_tables() const {
  write_atomically(run_ / kMatrixFile, matrix_csv(table_, plan_));
  write_atomically(run_ / kPerClassFile, per_class_csv(table_, plan_));
  if (plan_.problem() == Problem::kMasks) write_confusions();
}

// Names: "task-02" for the end of a task, "task-02-epoch-003" within it. Values: int64 [K, K].
void Recorder::write_confusions() const {
  StateDict matrices;
  for (const auto& row : table_.rows()) {
    std::vector<int64_t> counts;
    for (const auto& line : row.confusion) counts.insert(counts.end(), line.begin(), line.end());
    const auto side = static_cast<int64_t>(row.confusion.size());
    auto name = fmt::format("task-{:02}", row.task);
    if (!row.task_end) name += fmt::format("-epoch-{:03}", row.epoch);
    matrices[name] = at::tensor(counts, at::kLong).reshape({side, side});
  }
  write_safetensors(run_ / kConfusionFile, matrices);
}

}  // namespace lethe
