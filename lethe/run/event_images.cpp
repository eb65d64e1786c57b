#include "lethe/run/event_images.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/text.h"
#include "lethe/data/load_data.h"
#include "lethe/record/run_files.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool all_barred(const std::vector<std::string>& classes, const BarredClasses& barred) {
  return !classes.empty() && std::all_of(classes.begin(), classes.end(), [&](const auto& name) {
    return contains(barred.names, name);
  });
}

void check_names(const DataOptions& options, const Manifest& manifest,
                 const BarredClasses& barred) {
  std::set<std::string> names;
  for (const auto& entry : manifest.entries())
    names.insert(entry.classes.begin(), entry.classes.end());
  for (const auto& name : names) {
    for (const auto& other : barred.names) {
      if (differ_in_case_only(name, other))
        throw_error<ConfigError>(
            "{}: its class '{}' and the class '{}', whose images must not be used, differ only in "
            "upper and lower case; rename or remove it",
            options.root, visible(name), visible(other));
    }
  }
}

// The names of recorded images of barred classes, by hash.
std::map<std::string, std::string> barred_hashes(const fs::path& run, const Ledger& ledger,
                                                 const BarredClasses& barred) {
  std::map<std::string, std::string> hashes;
  for (const auto& line : ledger.lines()) {
    if (!line.contains(kDataKey) || !line.at(kDataKey).contains(kManifestKey)) continue;
    const auto file = run / line.at(kDataKey).at(kManifestKey).get<std::string>();
    if (!fs::exists(file)) continue;
    const auto manifest = Manifest::parse(read_text(file), file.string());
    for (const auto& entry : manifest.entries()) {
      if (all_barred(entry.classes, barred)) hashes.emplace(entry.sha256, entry.name);
    }
  }
  return hashes;
}

}  // namespace

bool differ_in_case_only(const std::string& a, const std::string& b) {
  return a != b && lower(a) == lower(b);
}

void check_for_barred(const fs::path& run, const Ledger& ledger, const DataOptions& options,
                      const Manifest& manifest, const BarredClasses& barred) {
  check_names(options, manifest, barred);
  const bool has_masks = find_dataset(options.name).problem == Problem::kMasks;
  if (barred.is_allowed || has_masks) return;
  const auto hashes = barred_hashes(run, ledger, barred);
  for (const auto& entry : manifest.entries()) {
    if (entry.split == kTestSplit || entry.classes.empty() || all_barred(entry.classes, barred))
      continue;
    if (const auto found = hashes.find(entry.sha256); found != hashes.end())
      throw_error<ConfigError>(
          "{}: {} is a copy of {}, an image of a class that must be forgotten; remove it, or allow "
          "such images with --use-forgotten-images",
          options.root, visible(entry.name), visible(found->second));
  }
}

ImageCounts count_images(const Experiment& experiment, const Task& task) {
  ImageCounts counts;
  const auto& images = *experiment.event_images;
  for (const auto sample : experiment.plan->train_samples(images, task)) {
    const auto labels = images.labels_of(sample);
    const bool to_forget = std::any_of(labels.begin(), labels.end(), [&](int64_t label) {
      return task.requested.contains(label);
    });
    ++(to_forget ? counts.to_forget : counts.of_task);
  }
  if (experiment.unlabelled) counts.unlabelled = experiment.unlabelled->size();
  return counts;
}

bool is_same_source(const DataOptions& a, const DataOptions& b) {
  const auto same = [](const std::string& x, const std::string& y) {
    if (x.empty() || y.empty()) return x.empty() == y.empty();
    return fs::weakly_canonical(x) == fs::weakly_canonical(y);
  };
  return a.name == b.name && same(a.root, b.root) && same(a.prepared, b.prepared);
}

}  // namespace lethe
