#include "lethe/data/manifest_changes.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "lethe/core/text.h"
#include "lethe/data/file_hashes.h"

namespace lethe {

namespace {

using Kind = ManifestChange::Kind;

// A file that is recorded and exists, in both versions.
struct Pair {
  const ManifestEntry* before;
  const DataFile* now;
};

ManifestChange change_of(Kind kind, const Pair& pair) {
  return {.kind = kind,
          .name = pair.before->name,
          .split = merged_split(pair.before->split, pair.now->split),
          .classes = merged_classes(pair.before->classes, pair.now->classes)};
}

template <typename File>  // DataFile or ManifestEntry
ManifestChange change_of(Kind kind, const File& file) {
  return {.kind = kind, .name = file.name, .split = file.split, .classes = file.classes};
}

class Comparison {
 public:
  Comparison(const Manifest& recorded, Trust trust) : recorded_(recorded), trust_(trust) {}

  void add(const DataFile& file) {
    seen_.insert(file.name);
    const auto* before = recorded_.find(file.name);
    const auto stamp = stamp_of(file.path);
    if (!stamp) {
      found_.push_back(change_of(Kind::kMissing, file));
    } else if (before == nullptr) {
      found_.push_back(change_of(Kind::kAdded, file));
    } else if (before->bytes != stamp->bytes) {
      found_.push_back(change_of(Kind::kChanged, Pair{before, &file}));
    } else if (trust_ == Trust::kSizeAndTime && before->stamp() == *stamp) {
      add_same({before, &file});
    } else {
      to_read_.push_back({before, &file});
    }
  }

  std::vector<ManifestChange> finish(int threads) {
    read(threads);
    for (const auto& entry : recorded_.entries()) {
      if (!seen_.contains(entry.name)) found_.push_back(change_of(Kind::kMissing, entry));
    }
    std::sort(found_.begin(), found_.end(),
              [](const ManifestChange& a, const ManifestChange& b) { return a.name < b.name; });
    return std::move(found_);
  }

 private:
  void add_same(const Pair& pair) {
    if (pair.before->split != pair.now->split) found_.push_back(change_of(Kind::kMoved, pair));
  }

  void read(int threads) {
    std::vector<std::filesystem::path> paths;
    for (const auto& pair : to_read_) paths.push_back(pair.now->path);
    const auto hashes = hashes_of(paths, threads);
    for (size_t i = 0; i < hashes.size(); ++i) {
      if (hashes[i] == to_read_[i].before->sha256) {
        add_same(to_read_[i]);
      } else {
        found_.push_back(change_of(Kind::kChanged, to_read_[i]));
      }
    }
  }

  const Manifest& recorded_;
  Trust trust_;
  std::set<std::string> seen_;
  std::vector<Pair> to_read_;
  std::vector<ManifestChange> found_;
};

}  // namespace

std::vector<ManifestChange> changes(const Manifest& recorded, const std::vector<DataFile>& now,
                                    int threads, Trust trust) {
  Comparison comparison(recorded, trust);
  for (const auto& file : now) comparison.add(file);
  return comparison.finish(threads);
}

std::string describe(const ManifestChange& change) {
  const auto name = visible(change.name);
  switch (change.kind) {
    case Kind::kChanged:
      return name + " was changed";
    case Kind::kMissing:
      return name + " is missing";
    case Kind::kAdded:
      return name + " was added";
    case Kind::kMoved:
      return name + " was moved to another split";
  }
  return name;
}

}  // namespace lethe
