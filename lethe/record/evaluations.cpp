#include "lethe/record/evaluations.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

EvaluationRow to_row(const Evaluation& evaluation, int64_t task, int64_t epoch, Moment moment) {
  EvaluationRow row{.task = task,
                    .epoch = epoch,
                    .task_end = moment != Moment::kEpoch,
                    .erased = moment == Moment::kErased,
                    .without = evaluation.without,
                    .classes = {}};
  const auto hits = evaluation.confusion.diagonal();
  const auto totals = evaluation.confusion.sum(1);
  const auto predicted = evaluation.confusion.sum(0);
  for (int64_t id = 0; id < evaluation.confusion.size(0); ++id) {
    row.classes.push_back({.correct = hits[id].item<int64_t>(),
                           .total = totals[id].item<int64_t>(),
                           .predicted = predicted[id].item<int64_t>()});
    if (evaluation.confusion_all.defined())
      row.classes.back().correct_all = evaluation.correct_all(id);
  }
  if (evaluation.problem == Problem::kImages) return row;
  const auto counts = evaluation.confusion.contiguous();
  const auto* values = counts.data_ptr<int64_t>();
  for (int64_t id = 0; id < counts.size(0); ++id, values += counts.size(1))
    row.confusion.emplace_back(values, values + counts.size(1));
  return row;
}

ordered_json to_json(const EvaluationRow& row, const TaskPlan& plan, int64_t images) {
  ordered_json classes = ordered_json::array();
  for (size_t id = 0; id < row.classes.size(); ++id) {
    const auto& count = row.classes[id];
    classes.push_back({{"class", id},
                       {"name", plan.class_name(static_cast<ClassId>(id))},
                       {"correct", count.correct},
                       {"total", count.total},
                       {"predicted", count.predicted}});
    if (count.correct_all) classes.back()["correct_all"] = *count.correct_all;
  }
  ordered_json line = {{"type", "evaluation"},     {"task", row.task}, {"epoch", row.epoch},
                       {"task_end", row.task_end}, {"images", images}, {"classes", classes}};
  if (row.erased) line["erased"] = true;
  if (!row.without.empty()) line["without"] = row.without.ids();
  if (!row.confusion.empty()) line["confusion"] = row.confusion;
  return line;
}

std::vector<EvaluationRow> read_evaluations(const fs::path& metrics_file, int64_t most) {
  std::istringstream lines(read_text(metrics_file));
  std::vector<EvaluationRow> rows;
  int64_t number = 0;
  for (std::string line; number < most && std::getline(lines, line);) {
    ++number;
    try {
      const auto record = json::parse(line);
      if (record.at("type") != "evaluation") continue;
      EvaluationRow row{.task = record.at("task"),
                        .epoch = record.at("epoch"),
                        .task_end = record.at("task_end"),
                        .erased = record.value("erased", false),
                        .without = ClassSet(record.value("without", std::vector<ClassId>{})),
                        .classes = {}};
      for (const auto& item : record.at("classes")) {
        row.classes.push_back({.correct = item.at("correct"),
                               .total = item.at("total"),
                               .predicted = item.at("predicted")});
        if (item.contains("correct_all")) row.classes.back().correct_all = item.at("correct_all");
      }
      if (record.contains("confusion")) row.confusion = record.at("confusion");
      rows.push_back(std::move(row));
    } catch (const json::exception& error) {
      throw_error<DataError>("{}:{}: is not a record written by this program: {}",
                             metrics_file.string(), number, error.what());
    }
  }
  return rows;
}

}  // namespace lethe
