#include "tools/suite/suite_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/run/run_config.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

ordered_json to_json(const Scores& scores) {
  ordered_json j = {{"A", scores.a}};
  if (scores.has_f) j.update({{"F", scores.f}, {"S", scores.s}});
  if (scores.a_all) j["A_all"] = *scores.a_all;
  return j;
}

Scores to_scores(const json& j) {
  Scores scores = {
      .a = j.at("A"), .f = j.value("F", 0.0), .s = j.value("S", 0.0), .has_f = j.contains("F")};
  if (j.contains("A_all")) scores.a_all = j.at("A_all").get<double>();
  return scores;
}

ordered_json to_json(const ClassFeatures& own) {
  ordered_json j = {
      {"distance", own.distance}, {"probe_before", own.probe_before}, {"probe", own.probe}};
  if (own.shots_before && own.shots)
    j.update({{"5_shot_before", *own.shots_before}, {"5_shot", *own.shots}});
  return j;
}

ClassFeatures to_features(const json& j) {
  ClassFeatures own = {
      .distance = j.at("distance"), .probe_before = j.at("probe_before"), .probe = j.at("probe")};
  if (j.contains("5_shot")) {
    own.shots_before = j.at("5_shot_before").get<double>();
    own.shots = j.at("5_shot").get<double>();
  }
  return own;
}

// The accuracy of a group of masks is a mean over classes: it does not follow from the counts.
ordered_json to_json(const GroupValue& group) {
  return {group.correct, group.total, group.accuracy};
}

GroupValue to_group(const json& j) {
  GroupValue group = {.accuracy = 0, .correct = j.at(0), .total = j.at(1)};
  if (j.size() > 2) {
    group.accuracy = j.at(2);
  } else if (group.total > 0) {
    group.accuracy = static_cast<double>(group.correct) / static_cast<double>(group.total);
  }
  return group;
}

}  // namespace

fs::path record_path(const fs::path& folder, const SuiteRecord& record, const std::string& run) {
  std::string name = record.suite;
  for (const auto& part : {record.profile, record.data, run}) {
    if (!part.empty()) name += '-' + part;
  }
  return folder / fmt::format("{}-s{}.json", name, record.seed);
}

void write_record(const fs::path& path, const SuiteRecord& record) {
  const auto& outcome = record.outcome;
  ordered_json matrix = ordered_json::array();
  for (const auto& row : outcome.matrix)
    matrix.push_back({{"after", row.after_task},
                      {"task", row.task},
                      {"kept", to_json(row.cell.kept)},
                      {"forgotten", to_json(row.cell.forgotten)}});
  ordered_json after = ordered_json::array();
  for (const auto& scores : outcome.after) after.push_back(to_json(scores));
  ordered_json j = {{"suite", record.suite},
                    {"profile", record.profile},
                    {"data", record.data},
                    {"label", record.label},
                    {"seed", record.seed},
                    {"commit", record.commit},
                    {"libtorch", record.libtorch},
                    {"threads", record.threads},
                    {"seconds", record.seconds},
                    {"resumed", record.resumed},
                    {"config_hash", record.identity.config_hash()},
                    {"data_hash", record.identity.data},
                    {"weights_hash", record.identity.weights},
                    {"last", to_json(outcome.last)},
                    {"mean", to_json(outcome.mean)},
                    {"after", after},
                    {"matrix", matrix},
                    {"shares", outcome.shares},
                    {"config", record.identity.config}};
  if (outcome.most_left) j["most_left"] = *outcome.most_left;
  if (outcome.predicted_as) {
    const auto& as = *outcome.predicted_as;
    j["predicted_as"] = {{"itself", as.itself},
                         {"background", as.background},
                         {"kept", as.kept},
                         {"forgotten", as.forgotten},
                         {"fresh", as.fresh}};
  }
  if (outcome.by_iou) j["by_iou"] = to_json(*outcome.by_iou);
  if (outcome.features) j["features"] = to_json(*outcome.features);
  if (outcome.kept_features) j["kept_features"] = to_json(*outcome.kept_features);
  if (!record.audit.empty()) {
    for (const auto& check : record.audit) j["audit"].push_back(to_json(check));
    for (const auto& own : record.audit_references) j["audit_references"].push_back(to_json(own));
    j["audit_request_seconds"] = record.audit_request_seconds;
  }
  for (const auto& point : outcome.epochs)
    j["epochs"].push_back({point.epoch, point.forgotten, point.fresh});
  fs::create_directories(path.parent_path());
  // A line per entry, so that a difference can be read.
  std::string text = "{\n";
  for (const auto& [key, value] : j.items())
    text += fmt::format("{} {}: {}", text.size() == 2 ? "" : ",\n", json(key).dump(), value.dump());
  write_atomically(path, text + "\n}\n");
}

SuiteRecord read_record(const fs::path& path) {
  RunConfig now;
  const auto fields = now.fields();
  try {
    const auto j = json::parse(read_text(path));
    SuiteRecord record = {.suite = j.at("suite"),
                          .profile = j.at("profile"),
                          .data = j.at("data"),
                          .label = j.at("label"),
                          .seed = j.at("seed"),
                          .identity = {.config = j.at("config"),
                                       .data = j.at("data_hash"),
                                       .weights = j.at("weights_hash")},
                          .outcome = {.after = {},
                                      .last = to_scores(j.at("last")),
                                      .mean = to_scores(j.at("mean")),
                                      .matrix = {},
                                      .shares = j.at("shares"),
                                      .most_left = {},
                                      .predicted_as = {},
                                      .by_iou = {},
                                      .features = {},
                                      .kept_features = {},
                                      .epochs = {}},
                          .commit = j.at("commit"),
                          .libtorch = j.at("libtorch"),
                          .threads = j.at("threads"),
                          .seconds = j.at("seconds"),
                          .resumed = j.at("resumed")};
    for (const auto& scores : j.at("after")) record.outcome.after.push_back(to_scores(scores));
    for (const auto& row : j.at("matrix"))
      record.outcome.matrix.push_back(
          {.after_task = row.at("after"),
           .task = row.at("task"),
           .cell = {.kept = to_group(row.at("kept")), .forgotten = to_group(row.at("forgotten"))}});
    if (j.contains("most_left")) record.outcome.most_left = j.at("most_left").get<double>();
    if (const auto as = j.find("predicted_as"); as != j.end())
      record.outcome.predicted_as = {.itself = as->at("itself"),
                                     .background = as->at("background"),
                                     .kept = as->at("kept"),
                                     .forgotten = as->at("forgotten"),
                                     .fresh = as->at("fresh")};
    if (const auto scores = j.find("by_iou"); scores != j.end())
      record.outcome.by_iou = to_scores(*scores);
    if (const auto own = j.find("features"); own != j.end())
      record.outcome.features = to_features(*own);
    if (const auto own = j.find("kept_features"); own != j.end())
      record.outcome.kept_features = to_features(*own);
    if (const auto points = j.find("epochs"); points != j.end()) {
      for (const auto& point : *points)
        record.outcome.epochs.push_back(
            {.epoch = point.at(0), .forgotten = point.at(1), .fresh = point.at(2)});
    }
    for (const auto& check : j.value("audit", json::array()))
      record.audit.push_back(to_check(check));
    for (const auto& own : j.value("audit_references", json::array()))
      record.audit_references.push_back(to_reference(own));
    record.audit_request_seconds = j.value("audit_request_seconds", 0.0);
    rename_former(record.identity.config, fields);
    record.label = rename_former(record.label, fields);
    return record;
  } catch (const json::exception&) {
    throw_error<DataError>(
        "{}: is damaged or no record of a suite; restore it, or remove it and "
        "run what it holds again",
        path.string());
  }
}

std::vector<SuiteRecord> read_records(const fs::path& folder, const std::string& suite,
                                      const std::string& profile) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<SuiteRecord> records;
  for (const auto& file : files) {
    if (!file.filename().string().starts_with(suite + '-')) continue;
    auto record = read_record(file);
    if (record.suite == suite && record.profile == profile) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace lethe
