#include "lethe/data/data_files.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/data/mask_classes.h"
#include "lethe/data/prepared.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// Suppresses warnings while it exists.
class Quiet {
 public:
  Quiet() { set_log_level(std::max(before_, LogLevel::kError)); }
  ~Quiet() { set_log_level(before_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  LogLevel before_ = log_level();
};

// Manifests are JSON, which cannot contain other text.
std::string valid_utf8(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return text;
  } catch (const nlohmann::json::type_error&) {
    std::string escaped;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      escaped += byte < 0x80 ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
    return escaped;
  }
}

// base is absolute and in normal form, or empty.
std::string name_of(const fs::path& path, const fs::path& base) {
  const auto whole = fs::absolute(path).lexically_normal();
  if (base.empty()) return valid_utf8(whole.generic_string());
  const auto relative = whole.lexically_relative(base);
  const bool is_outside = relative.empty() || *relative.begin() == "..";
  return valid_utf8((is_outside ? whole : relative).generic_string());
}

// Sets the names and merges files that occur more than once.
std::vector<DataFile> named(std::vector<DataFile> files, const std::string& root) {
  const fs::path base = root.empty() ? "" : normal_folder(root);
  std::map<std::string, DataFile> by_name;
  for (auto& file : files) {
    file.name = name_of(file.path, base);
    for (auto& name : file.classes) name = valid_utf8(name);
    std::sort(file.classes.begin(), file.classes.end());
    auto [place, is_new] = by_name.try_emplace(file.name, file);
    if (is_new) continue;
    auto& first = place->second;
    first.split = merged_split(first.split, file.split);
    first.classes = merged_classes(std::move(first.classes), file.classes);
  }
  files.clear();
  for (auto& [name, file] : by_name) files.push_back(std::move(file));
  return files;
}

std::vector<DataFile> files_of(ImageLists lists) {
  auto files = std::move(lists.list_files);
  const auto add = [&](const std::vector<ImageFile>& images, const char* split) {
    for (const auto& [path, label] : images) {
      files.push_back({.path = path,
                       .split = split,
                       .classes = {lists.class_names.at(static_cast<size_t>(label))}});
    }
  };
  add(lists.train, kTrainSplit);
  add(lists.test, kTestSplit);
  return files;
}

// The names of the classes in a mask; empty if it cannot be decoded.
std::vector<std::string> names_in(const MaskClasses& mask, const std::vector<std::string>& names) {
  if (mask.ids.empty()) return {};
  std::vector<std::string> found;
  for (const auto id : mask.ids) {
    if (id > 0 && id < static_cast<int64_t>(names.size()))
      found.push_back(names[static_cast<size_t>(id)]);
  }
  if (found.empty()) found.push_back(names.front());
  return found;
}

// The class names in the masks of the training images, then of the test images.
std::vector<std::vector<std::string>> classes_in_masks(const MaskLists& lists) {
  std::vector<fs::path> masks;
  for (const auto* part : {&lists.train, &lists.test}) {
    for (const auto& file : *part) masks.push_back(file.mask);
  }
  std::vector<std::vector<std::string>> classes(masks.size());
  try {
    const auto& colours = lists.reading.colours;
    const auto found =
        classes_of_masks(masks, colours, physical_cores(), mask_cache_file(lists.root, colours));
    for (size_t i = 0; i < found.size(); ++i) classes[i] = names_in(found[i], lists.class_names);
  } catch (const DataError&) {
    // A mask of the wrong kind. The files must be listed even then, to find out that it has
    // changed.
  }
  return classes;
}

std::vector<DataFile> files_of(MaskLists lists) {
  const auto classes = classes_in_masks(lists);
  auto files = std::move(lists.list_files);
  auto next = classes.begin();
  const auto add = [&](const std::vector<MaskFile>& samples, const char* split) {
    for (const auto& sample : samples) {
      for (const auto& path : {sample.image, sample.mask, sample.saliency}) {
        if (!path.empty()) files.push_back({.path = path, .split = split, .classes = *next});
      }
      ++next;
    }
  };
  add(lists.train, kTrainSplit);
  add(lists.test, kTestSplit);
  return files;
}

template <typename List>
auto quietly(const List& list, const DataOptions& options) {
  const Quiet quiet;
  return list(options);
}

}  // namespace

std::vector<DataFile> data_files(const DataOptions& options) {
  const auto& entry = find_dataset(options.name);
  if (!options.prepared.empty()) return named(prepared_files(options.prepared), options.prepared);
  if (entry.list) return named(files_of(quietly(entry.list, options)), options.root);
  if (entry.list_masks) return named(files_of(quietly(entry.list_masks, options)), options.root);
  return entry.files ? named(entry.files(options), options.root) : std::vector<DataFile>();
}

}  // namespace lethe
