#include "lethe/record/recorder.h"

#include <ATen/ATen.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/safetensors.h"

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
  double lr = 0;  // of the last step
  double grad_norm = 0;
  std::vector<TermValue> terms;         // gradient: the last one measured
  std::map<std::string, double> notes;  // sums
};

namespace {

// NaN has no place in JSON.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string group_csv(const GroupValue& group) {
  if (group.total == 0) return ",0,0";
  return fmt::format("{:.6f},{},{}", group.accuracy, group.correct, group.total);
}

ordered_json score_json(const Scores& scores) {
  return {{"A", scores.a}, {"F", scores.f}, {"S", scores.s}};
}

}  // namespace

EvaluationRow to_row(const Evaluation& evaluation, int64_t task, int64_t epoch, bool task_end) {
  EvaluationRow row{.task = task, .epoch = epoch, .task_end = task_end, .classes = {}};
  const auto hits = evaluation.confusion.diagonal();
  const auto totals = evaluation.confusion.sum(1);
  const auto predicted = evaluation.confusion.sum(0);
  for (int64_t id = 0; id < evaluation.confusion.size(0); ++id) {
    row.classes.push_back({.correct = hits[id].item<int64_t>(),
                           .total = totals[id].item<int64_t>(),
                           .predicted = predicted[id].item<int64_t>()});
  }
  if (evaluation.problem == Problem::kImages) return row;
  const auto counts = evaluation.confusion.contiguous();
  const auto* values = counts.data_ptr<int64_t>();
  for (int64_t id = 0; id < counts.size(0); ++id, values += counts.size(1))
    row.confusion.emplace_back(values, values + counts.size(1));
  return row;
}

Recorder::Recorder(const fs::path& run, const TaskPlan& plan, const MetricOptions& metric,
                   RecorderOptions options)
    : run_(run),
      plan_(plan),
      options_(std::move(options)),
      table_(plan, metric),
      metrics_(run / "metrics.jsonl"),
      ledger_(run / "requests.jsonl"),
      sum_(std::make_unique<StepSum>()) {}

Recorder::~Recorder() = default;

void Recorder::start_afresh() {
  metrics_.truncate(0);
  ledger_.truncate(0);
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
  if (sum_->steps >= options_.log_steps) write_step_line(event.position);
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
    last.step -= 1;  // of the last step done
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
  const int64_t epochs_done = event.task_end ? position.epoch : position.epoch + 1;
  table_.add(to_row(event.evaluation, position.task, epochs_done, event.task_end));
  const auto& row = table_.rows().back();
  ordered_json classes = ordered_json::array();
  for (size_t id = 0; id < row.classes.size(); ++id) {
    const auto& count = row.classes[id];
    classes.push_back({{"class", id},
                       {"name", plan_.class_name(static_cast<ClassId>(id))},
                       {"correct", count.correct},
                       {"total", count.total},
                       {"predicted", count.predicted}});
  }
  ordered_json line = {{"type", "evaluation"},
                       {"task", row.task},
                       {"epoch", row.epoch},
                       {"task_end", row.task_end},
                       {"images", event.evaluation.images},
                       {"classes", classes}};
  if (!row.confusion.empty()) line["confusion"] = row.confusion;
  metrics_.append(line.dump());
  if (!event.task_end) return;
  write_scores();
  write_tables();
}

// Of the newest evaluation.
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

void Recorder::on(const TaskDone& event) {
  for (const auto& request : plan_.requests()) {
    if (request.before_task == event.task.number) write_ledger(event, request);
  }
}

void Recorder::write_ledger(const TaskDone& event, const PlannedRequest& request) {
  const auto accuracy = [&](int64_t task) {
    ordered_json values = ordered_json::object();
    for (const auto& row : table_.rows()) {
      if (row.task != task || !row.task_end) continue;
      for (const ClassId id : request.classes) {
        const auto& count = row.classes.at(static_cast<size_t>(id));
        values[plan_.class_name(id)] =
            count.total == 0
                ? json(nullptr)
                : json(static_cast<double>(count.correct) / static_cast<double>(count.total));
      }
    }
    return values;
  };
  std::vector<std::string> names;
  for (const ClassId id : request.classes) names.push_back(plan_.class_name(id));
  const bool trained = event.steps > 0;
  ordered_json line = {
      {"asked",
       {{"classes", names},
        {"before_task", request.before_task},
        {"by", request.by_fraction ? "stream.forget_fraction" : "requests"}}},
      {"done",
       {{"method", options_.method},
        {"task", event.task.number},
        {"new_classes", event.task.new_classes.size()},
        {"steps", event.steps},
        {"note", trained ? "trained with these classes in the forget set"
                         : "the method had nothing to do without images: the model is unchanged"}}},
      {"accuracy",
       {{"before", accuracy(event.task.number - 1)}, {"after", accuracy(event.task.number)}}},
      {"model", {{"before", event.model_before}, {"after", event.model_after}}},
      {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  auto remarks = event.remarks;
  for (const auto& [name, before] : line.at("accuracy").at("before").items()) {
    const auto& after = line.at("accuracy").at("after").at(name);
    if (trained && before.is_number() && after.is_number() && after >= before)
      remarks.push_back(
          fmt::format("accuracy of '{}' did not fall: {:.1f} % before, {:.1f} % after", name,
                      100 * before.get<double>(), 100 * after.get<double>()));
  }
  for (size_t i = event.remarks.size(); i < remarks.size(); ++i) log_warning("{}", remarks[i]);
  if (!remarks.empty()) line["done"]["remarks"] = remarks;
  ledger_.append(line.dump());
}

json Recorder::save() {
  metrics_.sync();
  ledger_.sync();
  json terms = json::array();
  for (const auto& term : sum_->terms)
    terms.push_back({{"name", term.name},
                     {"value", term.value},
                     {"weight", term.weight},
                     {"gradient", term.gradient ? json(*term.gradient) : json(nullptr)}});
  // Lines, not bytes: wall times make lines of the same run differ in length.
  return {{"metrics_lines", metrics_.lines()},
          {"ledger_lines", ledger_.lines()},
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
  metrics_.truncate(state.at("metrics_lines"));
  ledger_.truncate(state.at("ledger_lines"));
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
  table_.clear();
  for (auto& row : read_evaluations(run_ / "metrics.jsonl")) table_.add(std::move(row));
  write_tables();
}

void Recorder::write_tables() const {
  write_atomically(run_ / "matrix.csv", matrix_csv(table_, plan_));
  write_atomically(run_ / "per_class.csv", per_class_csv(table_, plan_));
  if (plan_.problem() == Problem::kMasks) write_confusions();
}

// "task-02" [K, K] int64 at the end of a task, "task-02-epoch-003" within it.
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
  write_safetensors(run_ / "confusion.safetensors", matrices);
}

std::vector<EvaluationRow> read_evaluations(const fs::path& metrics_file) {
  std::istringstream lines(read_text(metrics_file));
  std::vector<EvaluationRow> rows;
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      const auto record = json::parse(line);
      if (record.at("type") != "evaluation") continue;
      EvaluationRow row{.task = record.at("task"),
                        .epoch = record.at("epoch"),
                        .task_end = record.at("task_end"),
                        .classes = {}};
      for (const auto& item : record.at("classes")) {
        row.classes.push_back({.correct = item.at("correct"),
                               .total = item.at("total"),
                               .predicted = item.at("predicted")});
      }
      if (record.contains("confusion")) row.confusion = record.at("confusion");
      rows.push_back(std::move(row));
    } catch (const json::exception& error) {
      throw_error<DataError>("{}:{}: is not a record of this program: {}", metrics_file.string(),
                             number, error.what());
    }
  }
  return rows;
}

std::string matrix_csv(const ScoreTable& table, const TaskPlan& plan) {
  std::string text =
      "after_task,epoch,task_end,task,kept_accuracy,kept_correct,kept_total,"
      "forgotten_accuracy,forgotten_correct,forgotten_total\n";
  for (const auto& row : table.rows()) {
    for (int64_t task = 1; task <= std::min(row.task, plan.num_learning_tasks()); ++task) {
      const auto cell = table.cell(row, task);
      text += fmt::format("{},{},{},{},{},{}\n", row.task, row.epoch, row.task_end ? 1 : 0, task,
                          group_csv(cell.kept), group_csv(cell.forgotten));
    }
  }
  return text;
}

std::string per_class_csv(const ScoreTable& table, const TaskPlan& plan) {
  const bool masks = plan.problem() == Problem::kMasks;
  std::string text = masks ? "task,class,name,group,correct,total,accuracy,iou\n"
                           : "task,class,name,group,correct,total,accuracy\n";
  for (const auto& row : table.rows()) {
    if (!row.task_end) continue;
    for (const ClassId id : plan.task(row.task).seen()) {
      const auto& count = row.classes.at(static_cast<size_t>(id));
      const auto ratio = [](int64_t part, int64_t whole) {
        return whole == 0
                   ? std::string()
                   : fmt::format("{:.6f}", static_cast<double>(part) / static_cast<double>(whole));
      };
      text += fmt::format("{},{},{},{},{},{},{}", row.task, id, csv_text(plan.class_name(id)),
                          plan.listed().contains(id) ? "forgotten" : "kept", count.correct,
                          count.total, ratio(count.correct, count.total));
      if (masks)  // a class that no image shows has neither
        text += ',' + (count.total == 0
                           ? std::string()
                           : ratio(count.correct, count.total + count.predicted - count.correct));
      text += '\n';
    }
  }
  return text;
}

}  // namespace lethe
