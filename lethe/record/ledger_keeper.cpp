#include "lethe/record/ledger_keeper.h"

#include <algorithm>
#include <cmath>

#include "lethe/core/files.h"
#include "lethe/core/sha256.h"
#include "lethe/core/system.h"
#include "lethe/record/run_files.h"
#include "lethe/record/scan.h"
#include "lethe/record/sealed_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

std::vector<std::string> name_list(const TaskPlan& plan, const ClassSet& classes) {
  std::vector<std::string> names;
  for (const ClassId id : classes) names.push_back(plan.class_name(id));
  return names;
}

}  // namespace

ordered_json program_record(int threads) {
  return {{"lethe", version()},
          {"commit", commit()},
          {"libtorch", torch_version()},
          {"cpu", cpu_name()},
          {"threads", threads}};
}

LedgerKeeper::LedgerKeeper(const fs::path& run, const TaskPlan& plan, const ScoreTable& table,
                           LedgerOptions options)
    : run_(run), plan_(plan), table_(table), options_(std::move(options)), ledger_(run) {}

void LedgerKeeper::start(const DatasetInfo& info, const ordered_json& more) {
  ordered_json line = {{"event", 0},
                       {"kind", "start"},
                       {kLedgerFormatKey, kLedgerFormat},
                       {"time", time_stamp()},
                       {"method", options_.method},
                       {"seed", options_.seed},
                       {"protocol", name_of(options_.keep.protocol)},
                       {"classes", info.class_names},
                       {"program", program_record(options_.threads)},
                       {"files", file_hashes(run_, {kConfigFile, kEnvironmentFile})}};
  line.update(more);
  ledger_.start_afresh();
  ledger_.append(std::move(line));
}

ClassSet LedgerKeeper::carried_out(const TaskDone& event) const {
  ClassSet classes;
  for (const auto& done : event.requests) {
    for (const auto& one :
         judge_request(done, event.task.number, table_, plan_, options_.verdict)) {
      if (is_carried_out(one, done.effect)) classes = classes | ClassSet{one.id};
    }
  }
  return classes;
}

ClassSet LedgerKeeper::carried_out_so_far(const TaskDone& event) const {
  const auto* after = table_.end_row(event.task.number);
  ClassSet classes;
  for (const auto& task : plan_.tasks()) {
    if (task.number > event.task.number) break;
    const auto* before = table_.version_row(task.number - 1);
    for (const ClassId id : task.requested) {
      const auto verdict = judge(id, before, after, plan_, options_.verdict);
      if (is_carried_out(verdict, RequestEffect::kTrained)) classes = classes | ClassSet{id};
    }
  }
  return classes;
}

void LedgerKeeper::adopt_first_task(int64_t step_count, int64_t images) {
  asked_ = time_stamp();
  const auto folder = version_of(run_, 1);
  done_ = TaskDone{.task = plan_.task(1), .model_before = "", .model_after = model_hash(folder)};
  done_->steps = step_count;
  done_->images = images;
  options_.extra["from_cache"] = true;
  on(VersionWritten{.task = 1, .folder = folder});
  on(EventComplete{.task = 1, .folder = folder});
  options_.extra.erase("from_cache");
}

void LedgerKeeper::on(const TaskStarted&) {
  asked_ = time_stamp();
  begun_ = std::chrono::steady_clock::now();
}

void LedgerKeeper::on(const TaskDone& event) { done_ = event; }

std::vector<std::string> LedgerKeeper::to_remove() const {
  const auto& task = done_->task;
  int64_t learned_in = 0;
  for (const auto& erased : done_->erased) {
    const auto own = plan_.task_of(erased.id);
    learned_in = learned_in == 0 ? own : std::min(learned_in, own);
  }
  const bool is_last = task.number >= static_cast<int64_t>(plan_.tasks().size());
  std::vector<std::string> names;
  for (const auto version : versions_to_remove({.versions = versions_of(run_),
                            .event = task.number,
                            .is_last = is_last,
                            .learned_in = learned_in},
                                               options_.keep))
    names.push_back((fs::path(kVersions) / version_of(run_, version).filename()).string());
  if (learned_in == 1 && !options_.keep.keep_before && !ledger_.cache_entry().empty())
    names.push_back(ledger_.cache_entry().string());
  return names;
}

ordered_json LedgerKeeper::line_of(const VersionWritten& event) const {
  const auto& task = done_->task;
  ordered_json line = {{"event", task.number},
                       {"kind", name_of(task.kind())},
                       {"begun", asked_},
                       {"time", time_stamp()}};
  line.update(options_.extra);
  if (task.learns()) line["learned"] = name_list(plan_, task.new_classes);
  ordered_json requests = ordered_json::array();
  for (const auto& done : done_->requests)
    requests.push_back(request_record(
        *done_, done, judge_request(done, task.number, table_, plan_, options_.verdict), plan_));
  if (!requests.empty()) line["requests"] = requests;
  if (!done_->erased.empty()) {
    ordered_json erased = ordered_json::object();
    for (const auto& one : done_->erased) {
      std::vector<std::string> parts = {"classifier row"};
      for (const auto& entry : one.state) parts.push_back(entry.name);
      erased[plan_.class_name(one.id)] = parts;
    }
    line["erased"] = erased;
    line[kMarksKey] = marks_json(*done_, plan_);
  }
  if (begun_) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - *begun_;
    line["seconds"] = std::round(10 * passed.count()) / 10;
  }
  line["steps"] = done_->steps;
  line["images"] = done_->images;
  line["method"] = options_.method;
  line["seed"] = options_.seed;
  line["protocol"] = name_of(options_.keep.protocol);
  line["program"] = program_record(options_.threads);
  line["model"] = {{"before", done_->model_before}, {"after", done_->model_after}};
  line["version"] = {{"folder", version_folder(run_, task.number, task.kind()).filename().string()},
                     {"sums", sha256_of_file(event.folder / kSums)}};
  line["metrics"] = seal_of_lines(run_ / kMetricsFile);
  line["files"] = file_hashes(run_, sealed_files());
  line["removed"] = to_remove();
  return line;
}

void LedgerKeeper::on(const VersionWritten& event) {
  auto line = line_of(event);
  if (before_commit) line.update(before_commit(event));
  ledger_.append(std::move(line));
}

void LedgerKeeper::on(const EventComplete&) {
  for (const auto& name : ledger_.lines().back()["removed"]) shred(run_ / name.get<std::string>());
  done_.reset();
}

}  // namespace lethe
