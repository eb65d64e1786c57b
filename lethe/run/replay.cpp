#include "lethe/run/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/sha256.h"
#include "lethe/core/text.h"
#include "lethe/method/codes/codes.h"
#include "lethe/record/run_files.h"
#include "lethe/run/data_record.h"
#include "lethe/run/retrain.h"
#include "lethe/run/runner.h"
#include "lethe/run/session.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// A run directory with the version before the event, removed by the destructor.
class ScratchRun {
 public:
  ScratchRun(const fs::path& run, int64_t event) : path_(replay_folder(run)) {
    shred(path_);
    fs::create_directories(path_ / kVersions);
    if (event > 1) {
      const auto before = version_of(run, event - 1);
      fs::create_directory_symlink(fs::absolute(before), path_ / kVersions / before.filename());
    }
    fs::copy_file(run / kMetricsFile, path_ / kMetricsFile);
  }
  ~ScratchRun() { shred(path_); }
  ScratchRun(const ScratchRun&) = delete;
  ScratchRun& operator=(const ScratchRun&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

std::string replay_sums(const ReplayOptions& options) {
  RunConfig config;
  read_run_config(config, options.run);
  if (options.event > 1) config.model.pretrained.clear();  // the version has all weights
  const ScratchRun scratch(options.run, options.event);
  const auto experiment = make_experiment(config, options.history);
  std::optional<RetrainedRun> retrained;
  if (experiment.plan->task(options.event).retrained)
    retrained = retrain({.run = options.run,
                         .folder = scratch.path() / kRetrainFolder,
                         .history = options.history,
                         .images = experiment,
                         .threads = options.threads});
  Session session(config, experiment, scratch.path(), options.threads, {}, ordered_json::object(),
                  retrained ? &retrained->model : nullptr);
  session.close = [&](const TaskDone& done) {
    return options.close(done, session.keeper(), session.recorder().table());
  };
  if (!session.resume()) session.recorder().start_afresh();
  session.run(1);
  if (session.trainer().rejected()) return "";
  return read_text(version_of(scratch.path(), options.event) / kSums);
}

namespace {

// The events up to one of them.
StreamHistory history_until(const Ledger& ledger, int64_t event) {
  StreamHistory history = read_history(ledger);
  size_t added = 0;
  for (const auto& line : ledger.lines()) {
    if (line.contains(kCommandKey) && line.at("event") <= event) ++added;
  }
  history.added.resize(added);
  history.last_is_new = ledger.line_of(event)->contains(kCommandKey);
  return history;
}

// What the bits of a result depend on.
std::string program_text(const ordered_json& program) {
  return fmt::format("LibTorch {}, {}, {}", program.at("libtorch").get<std::string>(),
                     program.at("cpu").get<std::string>(),
                     counted(program.at("threads").get<int64_t>(), "thread"));
}

// Codes of new classes come from the random numbers of the system.
bool has_random_codes(const RunConfig& config) {
  return config.method_recipe().has("method.code.salt") &&
         config.method_groups.get<CodeOptions>().salt == CodeSalt::kRandom;
}

Replayed replayed(const fs::path& run, const Ledger& ledger, const ordered_json& line,
                  int threads) {
  using enum Replayed::Answer;
  const int64_t event = line.at("event");
  const auto kept = versions_of(run);
  if (event > 1 && std::find(kept.begin(), kept.end(), event - 1) == kept.end()) {
    auto text = fmt::format("event {}: not repeated, version {} was removed", event, event - 1);
    if (line.contains("replayed"))
      text += fmt::format("; it was carried out twice before that, with the same bits ({})",
                          line.at("time").get<std::string>());
    return {event, kNotRepeatable, text};
  }
  const auto then = program_text(line.at("program"));
  const auto now = program_text(program_record(threads));
  if (then != now)
    return {
        event, kNotComparable,
        fmt::format("event {}: not comparable, it was made with {}; this is {}", event, then, now)};
  const auto close = [&](const TaskDone&, const LedgerKeeper& keeper, const ScoreTable&) {
    Closing closing;
    if (!line.contains("erased")) return closing;
    for (const auto& [name, parts] : line.at("erased").items())
      closing.erase = closing.erase | ClassSet{keeper.plan().find("erased", name)};
    return closing;
  };
  const auto not_comparable = [&](const std::string& why) -> Replayed {
    return {event, kNotComparable, fmt::format("event {}: not comparable, {}", event, why)};
  };
  RunConfig config;
  read_run_config(config, run);
  if (line.contains("learned") && has_random_codes(config))
    return not_comparable("its codes were random (method.code.salt = \"random\")");
  std::string sums;
  try {
    sums = replay_sums({.run = run,
                        .history = history_until(ledger, event),
                        .event = event,
                        .threads = threads,
                        .close = close});
  } catch (const DataError& error) {
    return not_comparable(fmt::format("its data cannot be read: {}", error.what()));
  }
  if (sha256(sums) == line.at("version").at("sums").get<std::string>())
    return {event, kSame, fmt::format("event {}: repeated, the same bits", event)};
  const auto changed = data_notes(run, ledger, config.data);
  if (!changed.empty()) return not_comparable("its data changed: " + changed.front());
  return {event, kDifferent, fmt::format("event {}: repeated, OTHER BITS", event)};
}

}  // namespace

std::vector<Replayed> replay_run(const fs::path& run, int threads) {
  const Ledger ledger(run);
  std::vector<Replayed> all;
  for (const auto& line : ledger.lines()) {
    if (line.contains("version")) all.push_back(replayed(run, ledger, line, threads));
  }
  return all;
}

}  // namespace lethe
