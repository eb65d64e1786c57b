#include "lethe/audit/subject.h"

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/model/load_weights.h"
#include "lethe/model/weight_file.h"
#include "lethe/record/evaluations.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"
#include "lethe/run/data_source.h"
#include "lethe/run/runner.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// The classes of a ledger line's requests that the event forgot or tried to forget.
void add_forgotten(const ordered_json& line, const TaskPlan& plan,
                   std::vector<ForgottenClass>& all) {
  if (!line.contains("requests")) return;
  const auto event = line.at("event").get<int64_t>();
  for (const auto& request : line.at("requests")) {
    const auto& accuracy = request.at("accuracy");
    for (const auto& [name, verdict] : request.at("verdict").items()) {
      ForgottenClass own{.id = plan.find(kLedgerFile, name),
                         .event = event,
                         .verdict = verdict.get<std::string>()};
      own.before = accuracy.at("before").value(name, 0.0);
      own.after = accuracy.at("after").value(name, 0.0);
      own.was_learned = own.verdict != "never learned";
      std::erase_if(all, [&](const ForgottenClass& other) { return other.id == own.id; });
      all.push_back(own);
    }
  }
}

std::shared_ptr<Network> new_network(const OpenedRun& opened) {
  return make_network(opened.config.model, opened.experiment.data.train->info().channels,
                      static_cast<uint64_t>(opened.config.train.seed));
}

}  // namespace

ClassSet Subject::forgotten_set() const {
  std::vector<ClassId> ids;
  for (const auto& own : forgotten) ids.push_back(own.id);
  return ClassSet(ids);
}

const ForgottenClass* Subject::find(ClassId id) const {
  const auto found = std::find_if(forgotten.begin(), forgotten.end(),
                                  [&](const auto& own) { return own.id == id; });
  return found == forgotten.end() ? nullptr : &*found;
}

std::unique_ptr<OpenedRun> open_run(const fs::path& run, const std::string& data) {
  require_run(run);
  require_intact(run);
  auto opened = std::make_unique<OpenedRun>();
  read_run_config(opened->config, run);
  if (!data.empty()) {
    RunConfig other;
    configure_data(other, data, {});
    opened->config.data = other.data;
  }
  opened->ledger = std::make_unique<Ledger>(run);
  auto& config = opened->config;
  const auto weights = config.model.pretrained;
  config.model.pretrained.clear();  // the version has all weights
  opened->experiment = make_experiment(config, read_history(*opened->ledger));
  config.model.pretrained = weights;
  return opened;
}

Subject open_subject(const OpenedRun& opened, const fs::path& run, int64_t version) {
  const auto& plan = opened.plan();
  const auto versions = versions_of(run);
  if (versions.empty()) throw_error<ConfigError>("{}: has no finished event", run.string());
  if (version == 0) version = versions.back();
  if (std::find(versions.begin(), versions.end(), version) == versions.end())
    throw_error<ConfigError>("{}: has no version {}; `lethe history {}` lists its events",
                             run.string(), version, run.string());
  Subject subject{.run = run, .version = version, .folder = version_of(run, version)};
  const auto checkpoint = read_checkpoint(subject.folder);
  subject.model_hash = model_hash(subject.folder);
  subject.erased = erased_in(checkpoint);
  subject.task = plan.task(version).without(subject.erased);
  for (const auto& line : opened.ledger->lines()) {
    if (line.at("event").get<int64_t>() > version) continue;
    const bool has_requests = line.contains("requests");
    add_forgotten(line, plan, subject.forgotten);
    if (has_requests) subject.request_seconds += line.value("seconds", 0.0);
  }
  std::sort(subject.forgotten.begin(), subject.forgotten.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  if (subject.forgotten.empty())
    throw_error<ConfigError>("{}: version {} has forgotten no class: there is nothing to audit",
                             run.string(), version);
  const ClassSet background = plan.problem() == Problem::kMasks ? ClassSet{0} : ClassSet{};
  subject.kept = subject.task.seen() - subject.forgotten_set() - background;
  subject.scores = std::make_unique<ScoreTable>(plan, opened.config.metric);
  for (auto& row : read_evaluations(run / kMetricsFile)) {
    if (row.task <= version) subject.scores->add(std::move(row));
  }
  return subject;
}

bool has_forgotten(const fs::path& run, int64_t version) {
  const Ledger ledger(run);
  return std::any_of(ledger.lines().begin(), ledger.lines().end(), [&](const ordered_json& line) {
    return line.at("event").get<int64_t>() <= version && line.contains("requests");
  });
}

std::shared_ptr<Network> load_version(const OpenedRun& opened, const fs::path& run,
                                      int64_t version) {
  const auto network = new_network(opened);
  network->to(opened.experiment.network->device());
  const auto folder = version_of(run, version);
  restore_network(*network, opened.plan(), version, static_cast<uint64_t>(opened.config.train.seed),
                  read_checkpoint(folder), folder.string());
  network->eval();
  return network;
}

std::shared_ptr<Network> load_start(const OpenedRun& opened, int64_t version) {
  const auto& weights = opened.config.model.pretrained;
  const auto network = new_network(opened);
  if (!weights.empty()) {
    if (!fs::exists(weights)) return nullptr;
    load_weights(*network, read_weights(weights), weights);
  }
  for (int64_t number = 1; number <= version; ++number) {
    const auto count = opened.plan().task(number).new_classes.size();
    if (count > 0) network->add_classes(count, static_cast<uint64_t>(opened.config.train.seed));
  }
  network->to(opened.experiment.network->device());
  network->eval();
  return network;
}

std::optional<int64_t> version_before(const fs::path& run, int64_t event) {
  const auto versions = versions_of(run);
  if (std::find(versions.begin(), versions.end(), event - 1) == versions.end()) return std::nullopt;
  return event - 1;
}

}  // namespace lethe
