#include "lethe/record/purge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/shell.h"
#include "lethe/core/short_list.h"
#include "lethe/core/text.h"
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

// The event that learned each class last.
std::map<std::string, int64_t> learned_in(const Ledger& ledger) {
  std::map<std::string, int64_t> learned;
  for (const auto& line : ledger.lines()) {
    if (!line.contains("learned")) continue;
    for (const auto& name : line.at("learned")) learned[name] = line.at("event");
  }
  return learned;
}

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

// Classes of requests that were carried out, but are still in the newest version.
std::vector<std::string> not_erased(const Ledger& ledger) {
  std::map<std::string, bool> erased;
  for (const auto& line : ledger.lines()) {
    if (line.contains("requests")) {
      for (const auto& request : line.at("requests")) {
        for (const auto& [name, verdict] : request.at("verdict").items()) {
          if (verdict == name_of(Verdict::kForgotten) || verdict == name_of(Verdict::kNeverLearned))
            erased[name] = false;
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

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Drops all classes that the options do not name. Throws ConfigError if a named class was never
// forgotten.
void choose(const std::vector<std::string>& classes, std::vector<Known>& known,
            std::vector<std::string>& in_model) {
  if (classes.empty()) return;
  for (const auto& name : classes) {
    if (!contains(in_model, name) &&
        std::none_of(known.begin(), known.end(),
                     [&](const Known& one) { return one.name == name; }))
      throw_error<ConfigError>(
          "--classes: '{}' was never forgotten; `lethe forget` forgets a class", name);
  }
  std::erase_if(known, [&](const Known& one) { return !contains(classes, one.name); });
  std::erase_if(in_model, [&](const std::string& name) { return !contains(classes, name); });
}

}  // namespace

Leftovers find_leftovers(const fs::path& run, const PurgeOptions& options) {
  const Ledger ledger(run);
  auto known = known_of_erased(ledger);
  Leftovers left;
  left.classes = not_erased(ledger);
  choose(options.classes, known, left.classes);
  // A command was killed before it had removed them.
  for (const auto& name : ledger.removed()) {
    const fs::path path = name;
    if (path.is_relative() && fs::exists(run / path)) left.files.push_back(name);
  }
  const auto learned = learned_in(ledger);
  for (const auto version : versions_of(run)) {
    const bool knows = std::any_of(known.begin(), known.end(), [&](const Known& one) {
      return version >= one.from && version <= one.to;
    });
    const auto name = (fs::path(kVersions) / version_of(run, version).filename()).string();
    if (std::any_of(left.classes.begin(), left.classes.end(),
                    [&](const auto& one) { return version >= learned.at(one); }))
      left.their_versions.push_back(name);
    if (knows && !contains(left.files, name)) left.files.push_back(name);
  }
  const bool knows_first =
      std::any_of(known.begin(), known.end(), [](const Known& one) { return one.from == 1; });
  if (knows_first && !ledger.cache_entry().empty())
    left.files.push_back(ledger.cache_entry().string());
  if (!known.empty() && fs::exists(run / kPredictionsFile))
    left.files.emplace_back(kPredictionsFile);
  if (options.file_lists && fs::exists(run / kDataFolder)) {
    for (const auto& entry : fs::directory_iterator(run / kDataFolder))
      left.files.push_back((fs::path(kDataFolder) / entry.path().filename()).string());
    std::sort(left.files.begin(), left.files.end());
  }
  if (fs::exists(candidate_folder(run)))
    left.notes.emplace_back("a candidate waits for `lethe forget --accept` or `--discard`");
  return left;
}

void remove_leftovers(const fs::path& run, const PurgeOptions& options) {
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
  const auto left = find_leftovers(run);
  const auto command = fmt::format("`lethe purge {} --apply`", shell_quoted(run.string()));
  std::string text;
  if (!left.classes.empty())
    text += fmt::format("forgotten, but still in the newest model: {}; {} erases them\n",
                        visible(short_list(left.classes)), command);
  if (!left.files.empty())
    text += fmt::format("files that still know an erased class: {}; {} removes them\n",
                        short_list(left.files), command);
  return text;
}

}  // namespace lethe
