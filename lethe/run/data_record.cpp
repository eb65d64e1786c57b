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

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

bool overlaps(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
    return std::find(b.begin(), b.end(), name) != b.end();
  });
}

bool is_read(const ManifestChange& change, const DataUse& use) {
  const auto reads = [&](const char* split, const std::vector<std::string>& classes) {
    if (classes.empty() || (change.split != split && change.split != kBothSplits)) return false;
    return change.classes.empty() || overlaps(change.classes, classes);
  };
  return reads(kTrainSplit, use.train) || reads(kTestSplit, use.test);
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

ordered_json record_data(const fs::path& run, const DataOptions& options) {
  const auto files = data_files(options);
  if (files.empty()) return {{"files", 0}, {"generated", options.name}};
  const auto manifest = make_manifest(files, nullptr, physical_cores());
  const auto text = manifest.to_text();
  const auto hash = sha256(text);
  const auto name = list_name(run, hash);
  fs::create_directories(run / kDataFolder);
  write_atomically(run / name, text);
  return {{"files", files.size()},
          {"root", manifest.root()},
          {kManifestKey, name},
          {kManifestHashKey, hash}};
}

void check_recorded_data(const fs::path& run, const ordered_json& line, const DataOptions& options,
                         const DataUse& use) {
  const auto data = line.find(kDataKey);
  if (data == line.end() || !data->contains(kManifestKey)) return;
  const auto file = run / data->at(kManifestKey).get<std::string>();
  if (!fs::exists(file)) {
    log_warning("{}: is missing: changes of the data cannot be noticed", file.string());
    return;
  }
  const auto manifest = Manifest::parse(read_text(file), file.string());
  int64_t others = 0;
  for (const auto& change : changes(manifest, data_files(options), physical_cores())) {
    if (is_read(change, use))
      throw_error<DataError>("{}: {} since the run recorded it",
                             options.root.empty() ? options.name : options.root, describe(change));
    ++others;
  }
  if (others > 0)
    log_info("{} of {} changed or are gone; this command does not read them",
             counted(others, "file"), options.root);
}

std::vector<std::string> class_names(const TaskPlan& plan, const ClassSet& classes) {
  std::vector<std::string> names;
  for (const ClassId id : classes) names.push_back(plan.class_name(id));
  return names;
}

}  // namespace lethe
