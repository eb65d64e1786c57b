#include "lethe/data/cub.h"

#include <charconv>
#include <map>
#include <sstream>
#include <string>

#include "lethe/core/error.h"
#include "lethe/core/files.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

fs::path find_folder(const fs::path& root) {
  if (root.empty()) {
    throw ConfigError("data.root is not set: cub200 needs the folder that contains images.txt");
  }
  for (const auto& folder : {root, root / "CUB_200_2011"}) {
    if (fs::is_regular_file(folder / "images.txt")) return folder;
  }
  throw_error<DataError>(
      "{}: no such file, nor CUB_200_2011/images.txt; data.root must be the folder that the "
      "archive CUB_200_2011.tgz unpacks to",
      (root / "images.txt").string());
}

bool to_number(std::string_view text, int64_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

// Reads lines of "number rest": the rest by number.
std::map<int64_t, std::string> read_table(const fs::path& path) {
  if (!fs::exists(path))
    throw_error<DataError>("{}: no such file; CUB_200_2011.tgz contains it next to images.txt",
                           path.string());
  std::map<int64_t, std::string> table;
  std::istringstream lines(read_text(path));
  int64_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    while (line.ends_with('\r') || line.ends_with(' ')) line.pop_back();
    if (line.empty()) continue;
    const auto space = line.find(' ');
    int64_t number = 0;
    if (space == std::string::npos || !to_number(line.substr(0, space), number)) {
      throw_error<DataError>("{}:{}: expected a number, a space and a value, found '{}'",
                             path.string(), count, line);
    }
    if (!table.emplace(number, line.substr(space + 1)).second) {
      throw_error<DataError>("{}:{}: number {} occurs twice", path.string(), count, number);
    }
  }
  if (table.empty()) throw_error<DataError>("{}: is empty", path.string());
  return table;
}

// The value of an image in a table of integers from low to high.
int64_t number_of(const std::map<int64_t, std::string>& table, int64_t image, const fs::path& path,
                  int64_t low, int64_t high) {
  const auto found = table.find(image);
  if (found == table.end()) throw_error<DataError>("{}: image {} is missing", path.string(), image);
  int64_t number = 0;
  if (!to_number(found->second, number) || number < low || number > high) {
    throw_error<DataError>("{}: image {}: expected {} to {}, found '{}'", path.string(), image, low,
                           high, found->second);
  }
  return number;
}

std::vector<std::string> read_classes(const fs::path& path) {
  std::vector<std::string> names;
  for (const auto& [number, name] : read_table(path)) {
    if (number != static_cast<int64_t>(names.size()) + 1) {
      throw_error<DataError>("{}: expected classes 1, 2, 3, ... without gaps, found {} after {}",
                             path.string(), number, names.size());
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

ImageLists list_cub(const fs::path& root) {
  const auto folder = find_folder(root);
  const auto labels_file = folder / "image_class_labels.txt";
  const auto split_file = folder / "train_test_split.txt";
  ImageLists lists;
  lists.class_names = read_classes(folder / "classes.txt");
  const auto labels = read_table(labels_file);
  const auto split = read_table(split_file);
  const auto classes = static_cast<int64_t>(lists.class_names.size());
  for (const auto& [image, name] : read_table(folder / "images.txt")) {
    const auto label = number_of(labels, image, labels_file, 1, classes) - 1;
    const bool is_train = number_of(split, image, split_file, 0, 1) == 1;
    (is_train ? lists.train : lists.test)
        .push_back({.path = folder / "images" / name, .label = label});
  }
  for (const auto* name :
       {"classes.txt", "images.txt", "image_class_labels.txt", "train_test_split.txt"}) {
    lists.list_files.push_back({.path = folder / name, .split = kBothSplits});
  }
  require_files(lists.train, folder / "images.txt");
  require_files(lists.test, folder / "images.txt");
  return lists;
}

}  // namespace lethe
