#include "lethe/record/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/sha256.h"
#include "lethe/record/ledger.h"
#include "lethe/record/recover.h"
#include "lethe/record/run_files.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/sealed_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// The recorded files that no table is made from again.
ordered_json evidence_of(const ordered_json& line) {
  ordered_json hashes = ordered_json::object();
  for (const char* file : {kFeaturesFile, kPredictionsFile}) {
    if (line.at("files").contains(file)) hashes[file] = line.at("files").at(file);
  }
  return hashes;
}

class Checker {
 public:
  Checker(const fs::path& run, const Ledger& ledger) : run_(run), ledger_(ledger) {
    result_.events = ledger.last_event();
    result_.head = ledger.head();
    for (const auto& line : ledger.lines()) result_.heads.push_back(line.at("hash"));
  }

  Verification check() {
    const auto& first = ledger_.lines().front();
    if (ledger_.has_torn_line())
      note("the last line of ledger.jsonl is incomplete: a process was killed while writing it");
    if (const auto lost = lost_end(run_, ledger_)) result_.problems.push_back(*lost);
    check_hashes(first.at("files"), "");
    for (const auto& line : ledger_.lines()) {
      if (line.contains("version")) check_version(line);
      if (line.contains(kDataKey)) add_list(line.at(kDataKey));
    }
    check_hashes(lists_, "");
    check_unknown_versions();
    check_leftovers_of_commands();
    check_record();
    return result_;
  }

 private:
  void problem(const fs::path& file, const std::string& what) {
    result_.problems.push_back(fmt::format("{}: {}", (run_ / file).string(), what));
  }
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  void check_hashes(const ordered_json& hashes, const fs::path& folder) {
    const auto gone = ledger_.removed();
    for (const auto& [name, hash] : hashes.items()) {
      const auto file = folder / name;
      if (gone.contains(file.string()) && !fs::exists(run_ / file)) continue;
      ++result_.files;
      if (!fs::exists(run_ / file)) {
        problem(file, "is missing");
      } else if (sha256_of_file(run_ / file) != hash.get<std::string>()) {
        problem(file, "was changed: its hash is not the one in the ledger");
      }
    }
  }

  // Generated data has no files.
  void add_list(const ordered_json& data) {
    if (data.contains(kManifestKey))
      lists_[data.at(kManifestKey).get<std::string>()] = data.at(kManifestHashKey);
  }

  void check_version(const ordered_json& line) {
    auto folder = fs::path(kVersions) / line.at("version").at("folder").get<std::string>();
    const bool is_removed = ledger_.removed().contains(folder.string());
    // A process that was killed right after it wrote the line left the folder with its first name.
    if (!fs::exists(run_ / folder) && fs::exists(run_ / new_folder(folder)))
      folder = new_folder(folder);
    if (!fs::exists(run_ / folder)) {
      if (!is_removed) problem(folder, "is missing");
      return;
    }
    if (is_removed) {
      problem(folder, "should have been removed; `lethe purge --apply` removes it");
      return;
    }
    ++result_.files;
    if (!fs::exists(run_ / folder / kSums) ||
        sha256_of_file(run_ / folder / kSums) != line.at("version").at("sums").get<std::string>()) {
      problem(folder / kSums, "was changed: its hash is not the one in the ledger");
      return;
    }
    try {
      check_sums(run_ / folder);
      result_.files += 4;
    } catch (const DataError& error) {
      result_.problems.emplace_back(error.what());
    }
  }

  // Everything in the folder of versions must be known: it may contain forgotten classes.
  void check_unknown_versions() {
    if (!fs::exists(run_ / kVersions)) return;
    std::set<std::string> known;
    for (const auto& line : ledger_.lines()) {
      if (line.contains("version")) known.insert(line.at("version").at("folder"));
    }
    for (const auto& folder : {partial_folder(run_), candidate_folder(run_), replay_folder(run_)})
      known.insert(folder.filename());
    for (const auto& folder : new_folders(run_)) {
      if (!known.contains(folder.stem()))
        note(fmt::format("{} is not in the ledger: its event was interrupted", folder.string()));
      known.insert(folder.filename());
    }
    for (const auto& entry : fs::directory_iterator(run_ / kVersions)) {
      const auto name = entry.path().filename().string();
      if (!known.contains(name) && !staged_target(name))
        problem(fs::path(kVersions) / name, "is not in the ledger");
    }
  }

  void check_leftovers_of_commands() {
    if (fs::exists(replay_folder(run_)))
      note(
          "versions/replay is left from a replay that did not end; the next `lethe forget`, "
          "`learn` or `purge --apply` removes it");
    if (fs::exists(candidate_folder(run_)))
      note(
          "versions/candidate is a result that was not accepted; it waits for `lethe forget "
          "--accept` or `--discard`");
  }

 public:
  // The files of evidence, for an event that goes on without writing them.
  Verification check_evidence() {
    const auto found = last_record();
    if (found != ledger_.lines().rend()) check_hashes(evidence_of(*found), "");
    return result_;
  }

 private:
  std::vector<ordered_json>::const_reverse_iterator last_record() const {
    return std::find_if(ledger_.lines().rbegin(), ledger_.lines().rend(),
                        [](const auto& line) { return line.contains("metrics"); });
  }

  // The record of the last event. While an event is going on, the files after it may change.
  void check_record() {
    const auto found = last_record();
    if (found == ledger_.lines().rend()) return;
    const auto& last = *found;
    const auto metrics = run_ / kMetricsFile;
    ++result_.files;
    if (!fs::exists(metrics)) return problem(kMetricsFile, "is missing");
    if (!fits_seal(metrics, last.at("metrics")))
      return problem(kMetricsFile, "was changed: its hash is not the one in the ledger");
    if (has_more_lines(metrics, last.at("metrics")) || fs::exists(run_ / kPendingFile)) {
      if (!fs::exists(candidate_folder(run_)))
        note("an event was begun and is not in the ledger yet; its tables are not compared");
      // The tables are written again from metrics.jsonl. A command does not change the other files.
      if (fs::exists(run_ / kPendingFile)) check_hashes(evidence_of(last), "");
      return;
    }
    check_hashes(last.at("files"), "");
  }

  const fs::path& run_;
  const Ledger& ledger_;
  ordered_json lists_ = ordered_json::object();  // lists of images: file -> hash
  Verification result_;
};

// The ledger, or what is wrong with it.
struct LedgerOrProblem {
  std::optional<Ledger> ledger;
  std::string problem;
};

LedgerOrProblem read_ledger(const fs::path& run) {
  try {
    LedgerOrProblem read = {.ledger = Ledger(run), .problem = ""};
    if (read.ledger->empty()) read.problem = (run / kLedgerFile).string() + ": is empty";
    return read;
  } catch (const DataError& error) {
    return {.ledger = {}, .problem = error.what()};
  }
}

}  // namespace

void require_run(const fs::path& run) {
  if (fs::exists(run / kLedgerFile)) return;
  if (is_old_run(run))
    throw_error<DataError>(
        "{}: is a run of lethe 0.1, without a ledger; start it again with `lethe run {} --out DIR`",
        run.string(), (run / kConfigFile).string());
  throw_error<DataError>("{}: is not a run directory (no {})", run.string(), kLedgerFile);
}

Verification verify_run(const fs::path& run) {
  require_run(run);
  try {
    const auto ledger = read_ledger(run);
    if (!ledger.problem.empty()) return {.problems = {ledger.problem}};
    return Checker(run, *ledger.ledger).check();
  } catch (const ordered_json::exception& error) {
    throw_error<DataError>("{}: has a line that this program cannot read: {}",
                           (run / kLedgerFile).string(), error.what());
  }
}

void require_intact(const fs::path& run) {
  const auto result = verify_run(run);
  if (!result.passed()) throw DataError(result.problems.front());
}

void require_evidence(const fs::path& run) {
  const Ledger ledger(run);
  const auto result = Checker(run, ledger).check_evidence();
  if (!result.passed()) throw DataError(result.problems.front());
}

}  // namespace lethe
