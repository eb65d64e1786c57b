#include "lethe/record/verify.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/sha256.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_files.h"
#include "lethe/record/run_folder.h"
#include "lethe/record/sealed_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

class Checker {
 public:
  Checker(const fs::path& run, const Ledger& ledger) : run_(run), ledger_(ledger) {
    result_.events = static_cast<int64_t>(ledger.lines().size());
    result_.head = ledger.head();
  }

  Verification check() {
    const auto& first = ledger_.lines().front();
    if (ledger_.has_torn_line())
      note("the last line of ledger.jsonl is incomplete: a process was killed while writing it");
    check_hashes(first.at("files"), "");
    for (const auto& line : ledger_.lines()) {
      if (line.contains("version")) check_version(line);
    }
    check_unknown_versions();
    check_record();
    return result_;
  }

 private:
  void problem(const fs::path& file, const std::string& what) {
    result_.problems.push_back(fmt::format("{}: {}", (run_ / file).string(), what));
  }
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  void check_hashes(const ordered_json& hashes, const fs::path& folder) {
    for (const auto& [name, hash] : hashes.items()) {
      const auto file = folder / name;
      ++result_.files;
      if (!fs::exists(run_ / file)) {
        problem(file, "is missing");
      } else if (sha256_of_file(run_ / file) != hash) {
        problem(file, "was changed: its hash is not the one in the ledger");
      }
    }
  }

  // What any line lists as removed.
  std::set<std::string> removed() const {
    std::set<std::string> names;
    for (const auto& line : ledger_.lines()) {
      if (!line.contains("removed")) continue;
      for (const auto& name : line.at("removed")) names.insert(name.get<std::string>());
    }
    return names;
  }

  void check_version(const ordered_json& line) {
    const auto folder = fs::path(kVersions) / line.at("version").at("folder").get<std::string>();
    const bool is_removed = removed().contains(folder.string());
    if (!fs::exists(run_ / folder)) {
      if (!is_removed) problem(folder, "is missing");
      return;
    }
    if (is_removed) {
      problem(folder, "should have been removed; `lethe purge` removes it");
      return;
    }
    ++result_.files;
    if (!fs::exists(run_ / folder / kSums) ||
        sha256_of_file(run_ / folder / kSums) != line.at("version").at("sums")) {
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

  void check_unknown_versions() {
    for (const auto version : versions_of(run_)) {
      if (version > ledger_.last_event())
        note(fmt::format("version {} is not in the ledger: its event was interrupted", version));
    }
  }

  // The record of the last event. While an event is going on, the files after it may change.
  void check_record() {
    const auto& last = ledger_.lines().back();
    if (!last.contains("metrics")) return;
    const auto metrics = run_ / kMetricsFile;
    ++result_.files;
    if (!fs::exists(metrics)) return problem(kMetricsFile, "is missing");
    if (!fits_seal(metrics, last.at("metrics")))
      return problem(kMetricsFile, "was changed: its hash is not the one in the ledger");
    if (has_more_lines(metrics, last.at("metrics")) || fs::exists(run_ / kPendingFile)) {
      note("an event after the last one of the ledger was begun and is not complete");
      return;
    }
    check_hashes(last.at("files"), "");
  }

  const fs::path& run_;
  const Ledger& ledger_;
  Verification result_;
};

void require_ledger(const fs::path& run) {
  if (fs::exists(run / kLedgerFile)) return;
  if (is_old_run(run))
    throw_error<DataError>(
        "{}: is a run of lethe 0.1, without a ledger; start it again with `lethe run {} --out DIR`",
        run.string(), (run / kConfigFile).string());
  throw_error<DataError>("{}: is not a run directory (no {})", run.string(), kLedgerFile);
}

}  // namespace

Verification verify_run(const fs::path& run) {
  require_ledger(run);
  try {
    const Ledger ledger(run);
    if (ledger.empty()) throw_error<DataError>("{}: is empty", (run / kLedgerFile).string());
    return Checker(run, ledger).check();
  } catch (const ordered_json::exception& error) {
    throw_error<DataError>("{}: has a line that this program cannot read: {}",
                           (run / kLedgerFile).string(), error.what());
  }
}

void require_intact(const fs::path& run) {
  const auto result = verify_run(run);
  if (!result.passed()) throw DataError(result.problems.front());
}

}  // namespace lethe
