#include "lethe/run/data_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/sha256.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/data/data_files.h"
#include "lethe/data/manifest_changes.h"
#include "lethe/record/run_files.h"
#include "lethe/run/stream_history.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

bool overlaps(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
    return std::find(b.begin(), b.end(), name) != b.end();
  });
}

enum class Read { kNo, kIfThere, kYes };

// Whether a command reads a file that differs.
Read read_by(const ManifestChange& change, const DataUse& use) {
  const auto reads = [&](const char* split, const std::vector<std::string>& classes) {
    if (classes.empty() || (change.split != split && change.split != kBothSplits)) return false;
    return change.classes.empty() || overlaps(change.classes, classes);
  };
  if (reads(kTrainSplit, use.train) || reads(kTestSplit, use.test)) return Read::kYes;
  const bool is_optional =
      reads(kTrainSplit, use.train_if_there) || reads(kTestSplit, use.test_if_there);
  return is_optional ? Read::kIfThere : Read::kNo;
}

std::string source_of(const DataOptions& options) {
  if (!options.prepared.empty()) return options.prepared;
  return options.root.empty() ? options.name : options.root;
}

std::vector<ManifestChange> changes_of(const fs::path& run, const ordered_json& recorded,
                                       const DataOptions& options) {
  const auto file = run / recorded.at(kManifestKey).get<std::string>();
  return changes(Manifest::parse(read_text(file), file.string()), data_files(options),
                 physical_cores());
}

bool has_manifest(const fs::path& run, const ordered_json& recorded) {
  return recorded.contains(kManifestKey) &&
         fs::exists(run / recorded.at(kManifestKey).get<std::string>());
}

void remove_names(std::vector<std::string>& names, const std::vector<std::string>& others) {
  std::erase_if(names, [&](const std::string& name) { return overlaps({name}, others); });
}

// A dataset that a line of the ledger recorded.
struct Recorded {
  ordered_json data;  // the value of kDataKey
  DataOptions options;
  std::vector<std::string> learned;  // by this line
};

// The dataset of the configuration, then those of commands.
std::vector<Recorded> recorded_data(const Ledger& ledger, const DataOptions& options) {
  std::vector<Recorded> all;
  for (const auto& line : ledger.lines()) {
    if (!line.contains(kDataKey)) continue;
    Recorded one{.data = line.at(kDataKey), .options = options, .learned = {}};
    if (line.contains(kCommandKey))
      one.options = data_options(to_added_event(line.at(kCommandKey)));
    if (line.contains("learned")) one.learned = line.at("learned");
    all.push_back(std::move(one));
  }
  return all;
}

// A name for a list that was never removed from the run: a removed name is not used again.
std::string list_name(const fs::path& run, const std::string& hash) {
  const auto removed = Ledger(run).removed();
  auto name = fmt::format("{}/{}.jsonl", kDataFolder, hash.substr(0, 16));
  for (int copy = 2; removed.contains(name); ++copy)
    name = fmt::format("{}/{}-{}.jsonl", kDataFolder, hash.substr(0, 16), copy);
  return name;
}

}  // namespace

Manifest manifest_of(const DataOptions& options) {
  return make_manifest(data_files(options), nullptr, physical_cores());
}

ordered_json record_data(const fs::path& run, const DataOptions& options,
                         const Manifest& manifest) {
  if (manifest.entries().empty()) return {{"files", 0}, {"generated", options.name}};
  const auto text = manifest.to_text();
  const auto hash = sha256(text);
  const auto name = list_name(run, hash);
  fs::create_directories(run / kDataFolder);
  write_atomically(run / name, text);
  return {{"files", manifest.entries().size()},
          {"root", manifest.root()},
          {kManifestKey, name},
          {kManifestHashKey, hash}};
}

void check_recorded_data(const fs::path& run, const ordered_json& recorded,
                         const DataOptions& options, const DataUse& use) {
  if (!recorded.contains(kManifestKey)) return;
  if (!has_manifest(run, recorded)) {
    log_warning("{}: is missing, so changed images cannot be noticed",
                (run / recorded.at(kManifestKey).get<std::string>()).string());
    return;
  }
  std::vector<ManifestChange> gone;
  std::vector<ManifestChange> others;
  for (const auto& change : changes_of(run, recorded, options)) {
    const auto read = read_by(change, use);
    if (read == Read::kNo) {
      others.push_back(change);
    } else if (read == Read::kIfThere && change.kind == ManifestChange::Kind::kMissing) {
      gone.push_back(change);
    } else {
      throw_error<DataError>("{}: {} since the run recorded it", source_of(options),
                             describe(change));
    }
  }
  if (!gone.empty())
    log_warning("{}: {} of the run {} gone (the first: {}); this command works with the others",
                source_of(options), counted(static_cast<int64_t>(gone.size()), "file"),
                gone.size() == 1 ? "is" : "are", visible(gone.front().name));
  if (!others.empty())
    log_info(
        "{}: {} changed since the run recorded the data (the first: {}); this command does not "
        "need {}",
        source_of(options), counted(static_cast<int64_t>(others.size()), "file"),
        describe(others.front()), others.size() == 1 ? "it" : "them");
}

void check_run_data(const fs::path& run, const Ledger& ledger, const DataOptions& options,
                    DataUse use) {
  auto all = recorded_data(ledger, options);
  // A class is tested on the images with which it was learned last.
  for (size_t i = all.size(); i-- > 1;) {
    DataUse own;
    for (const auto& name : all[i].learned) {
      if (overlaps({name}, use.test)) own.test.push_back(name);
      if (overlaps({name}, use.test_if_there)) own.test_if_there.push_back(name);
    }
    remove_names(use.test, all[i].learned);
    remove_names(use.test_if_there, all[i].learned);
    if (!own.test.empty() || !own.test_if_there.empty())
      check_recorded_data(run, all[i].data, all[i].options, own);
  }
  if (!all.empty()) check_recorded_data(run, all.front().data, all.front().options, use);
}

std::string first_change(const fs::path& run, const ordered_json& recorded,
                         const DataOptions& options) {
  if (!has_manifest(run, recorded)) return "";
  const auto found = changes_of(run, recorded, options);
  return found.empty() ? "" : describe(found.front());
}

std::vector<std::string> data_notes(const fs::path& run, const Ledger& ledger,
                                    const DataOptions& options) {
  std::vector<std::string> notes;
  for (const auto& one : recorded_data(ledger, options)) {
    if (!has_manifest(run, one.data)) continue;
    const auto source = source_of(one.options);
    std::string note;
    try {
      const auto found = changes_of(run, one.data, one.options);
      if (found.empty()) continue;
      note = fmt::format(
          "{}: {} not as recorded (the first: {})", source,
          found.size() == 1 ? "1 image file is" : fmt::format("{} image files are", found.size()),
          describe(found.front()));
    } catch (const DataError& error) {
      note = fmt::format("the images cannot be compared with the record: {}", error.what());
    } catch (const ConfigError& error) {
      note = fmt::format("the images cannot be compared with the record: {}", error.what());
    }
    if (!overlaps({note}, notes)) notes.push_back(note);
  }
  return notes;
}

std::vector<std::string> class_names(const TaskPlan& plan, const ClassSet& classes) {
  std::vector<std::string> names;
  for (const ClassId id : classes) names.push_back(plan.class_name(id));
  return names;
}

}  // namespace lethe
