#include "lethe/record/purge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/shell.h"
#include "lethe/core/short_list.h"
#include "lethe/metrics/verdict.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// The events in which the model knew a class: from the one that learned it to the one before its
// erasure.
struct Known {
  std::string name;
  int64_t from = 0;
  int64_t to = 0;
};

std::vector<Known> known_of_erased(const Ledger& ledger) {
  std::map<std::string, int64_t> learned;
  std::vector<Known> all;
  for (const auto& line : ledger.lines()) {
    const int64_t event = line.at("event");
    if (line.contains("learned")) {
      for (const auto& name : line.at("learned")) learned[name] = event;
    }
    if (!line.contains("erased")) continue;
    for (const auto& [name, parts] : line.at("erased").items())
      all.push_back({.name = name, .from = learned[name], .to = event - 1});
  }
  return all;
}

// Classes that were forgotten but are still in the newest version.
std::vector<std::string> not_erased(const Ledger& ledger) {
  std::map<std::string, bool> erased;
  for (const auto& line : ledger.lines()) {
    if (line.contains("requests")) {
      for (const auto& request : line.at("requests")) {
        for (const auto& [name, verdict] : request.at("verdict").items()) {
          if (verdict == name_of(Verdict::kForgotten)) erased[name] = false;
        }
      }
    }
    if (!line.contains("erased")) continue;
    for (const auto& [name, parts] : line.at("erased").items()) erased[name] = true;
  }
  std::vector<std::string> names;
  for (const auto& [name, done] : erased) {
    if (!done) names.push_back(name);
  }
  return names;
}

std::vector<Known> chosen(std::vector<Known> known, const std::vector<std::string>& classes) {
  if (classes.empty()) return known;
  for (const auto& name : classes) {
    if (std::none_of(known.begin(), known.end(),
                     [&](const Known& one) { return one.name == name; }))
      throw_error<ConfigError>("--classes: no event erased '{}'; `lethe forget` does", name);
  }
  std::erase_if(known, [&](const Known& one) {
    return std::find(classes.begin(), classes.end(), one.name) == classes.end();
  });
  return known;
}

}  // namespace

Leftovers find_leftovers(const fs::path& run, const PurgeOptions& options) {
  const Ledger ledger(run);
  const auto known = chosen(known_of_erased(ledger), options.classes);
  Leftovers left;
  // A command was killed before it had removed them.
  for (const auto& name : ledger.removed()) {
    if (fs::exists(run / name)) left.files.push_back(name);
  }
  for (const auto version : versions_of(run)) {
    const bool knows = std::any_of(known.begin(), known.end(), [&](const Known& one) {
      return version >= one.from && version <= one.to;
    });
    const auto name = (fs::path(kVersions) / version_of(run, version).filename()).string();
    if (knows && std::find(left.files.begin(), left.files.end(), name) == left.files.end())
      left.files.push_back(name);
  }
  if (!known.empty() && fs::exists(run / kPredictionsFile))
    left.files.emplace_back(kPredictionsFile);
  if (options.file_lists && fs::exists(run / kDataFolder)) {
    for (const auto& entry : fs::directory_iterator(run / kDataFolder))
      left.files.push_back((fs::path(kDataFolder) / entry.path().filename()).string());
    std::sort(left.files.begin(), left.files.end());
  }
  for (const auto& name : not_erased(ledger))
    left.notes.push_back(fmt::format(
        "'{}' was forgotten, but its classifier row and the state of the method are still in the "
        "newest version; `lethe forget` erases them",
        name));
  if (fs::exists(candidate_folder(run)))
    left.notes.emplace_back("a candidate waits for `lethe forget --accept` or `--discard`");
  return left;
}

void purge_run(const fs::path& run, const PurgeOptions& options) {
  const auto files = find_leftovers(run, options).files;
  if (files.empty()) return;
  Ledger ledger(run);
  ledger.append({{"event", ledger.last_event()},
                 {"kind", "purge"},
                 {"time", time_stamp()},
                 {"removed", files}});
  for (const auto& file : files) shred(run / file);
}

std::string leftovers_text(const fs::path& run) {
  const auto files = find_leftovers(run).files;
  if (files.empty()) return "";
  return fmt::format(
      "still there, and knows an erased class: {}; `lethe purge {} --apply` removes it\n",
      short_list(files), shell_quoted(run.string()));
}

}  // namespace lethe
