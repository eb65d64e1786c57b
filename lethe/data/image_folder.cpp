#include "lethe/data/image_folder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/data/image_file.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!is_hidden(entry.path())) entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return entries;
}

// The images of every class folder, both sorted by name.
using Tree = std::map<std::string, std::vector<fs::path>>;

Tree read_tree(const fs::path& folder) {
  Tree tree;
  int64_t images = 0;
  std::vector<fs::path> others;
  for (const auto& entry : sorted_entries(folder)) {
    if (!fs::is_directory(entry)) {
      others.push_back(entry);
      continue;
    }
    auto& files = tree[entry.filename().string()];
    for (const auto& file : sorted_entries(entry)) {
      (has_image_suffix(file) && fs::is_regular_file(file) ? files : others).push_back(file);
    }
    images += static_cast<int64_t>(files.size());
  }
  if (images == 0) {
    throw_error<DataError>(
        "{}: no image found; expected one folder per class that contains JPEG, PNG, WebP or BMP "
        "files",
        folder.string());
  }
  if (!others.empty()) {
    log_warning("{}: skipped {} file{} or folder{} without an image extension: {}{}",
                folder.string(), others.size(), others.size() == 1 ? "" : "s",
                others.size() == 1 ? "" : "s", others.front().filename().string(),
                others.size() == 1 ? "" : ", ...");
  }
  return tree;
}

std::vector<ImageFile> to_files(const Tree& tree, const std::vector<std::string>& class_names) {
  std::vector<ImageFile> files;
  for (size_t label = 0; label < class_names.size(); ++label) {
    const auto found = tree.find(class_names[label]);
    if (found == tree.end()) continue;
    for (const auto& path : found->second) {
      files.push_back({.path = path, .label = static_cast<int64_t>(label)});
    }
  }
  return files;
}

std::vector<std::string> names_of(const Tree& train, const Tree& test) {
  std::set<std::string> names;
  for (const auto& [name, files] : train) names.insert(name);
  for (const auto& [name, files] : test) names.insert(name);
  return {names.begin(), names.end()};
}

}  // namespace

ImageLists list_image_folder(const fs::path& root, double test_fraction) {
  if (root.empty()) {
    throw ConfigError(
        "data.root is not set: image_folder needs a folder with train/<class>/* and "
        "test/<class>/*, or with <class>/* alone");
  }
  if (!fs::is_directory(root)) throw_error<DataError>("{}: no such folder", root.string());
  const bool has_train = fs::is_directory(root / "train");
  const bool has_test = fs::is_directory(root / "test");
  if (has_train != has_test) {
    throw_error<DataError>(
        "{}: no such folder next to {}/; image_folder needs both, or only class folders{}",
        (root / (has_train ? "test" : "train")).string(), has_train ? "train" : "test",
        has_train && fs::is_directory(root / "val") ? "; val can be renamed to test" : "");
  }
  ImageLists lists;
  if (has_train) {
    const auto train = read_tree(root / "train");
    const auto test = read_tree(root / "test");
    lists.class_names = names_of(train, test);
    lists.train = to_files(train, lists.class_names);
    lists.test = to_files(test, lists.class_names);
  } else {
    const auto tree = read_tree(root);
    lists.class_names = names_of(tree, {});
    lists.train = to_files(tree, lists.class_names);
    hold_out_test(lists, test_fraction);
  }
  return lists;
}

}  // namespace lethe
