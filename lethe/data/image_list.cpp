#include "lethe/data/image_list.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/nearest.h"
#include "lethe/core/text.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr const char* kClasses = "classes.txt";

struct Line {
  fs::path path;
  std::string label;
  std::string origin;  // "train.txt:3"
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string unquoted(const std::string& text) {
  const bool quoted = text.size() >= 2 && text.starts_with('"') && text.ends_with('"');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// The start of the label: after the last tab, at the opening quote, or after the last space.
size_t start_of_label(const std::string& line) {
  if (const auto tab = line.rfind('\t'); tab != std::string::npos) return tab + 1;
  if (line.size() >= 2 && line.ends_with('"')) return line.rfind('"', line.size() - 2);
  const auto space = line.rfind(' ');
  return space == std::string::npos ? space : space + 1;
}

std::vector<Line> read_lines(const fs::path& file) {
  std::vector<Line> lines;
  std::istringstream text(read_text(file));
  int64_t number = 0;
  for (std::string raw; std::getline(text, raw);) {
    ++number;
    const auto line = trimmed(raw);
    if (line.empty() || line.starts_with('#')) continue;
    const auto origin = fmt::format("{}:{}", file.string(), number);
    const auto start = start_of_label(line);
    const auto path = start == std::string::npos ? "" : unquoted(trimmed(line.substr(0, start)));
    const auto label = path.empty() ? "" : unquoted(trimmed(line.substr(start)));
    if (label.empty()) {
      throw_error<DataError>("{}: expected a path and a label, found '{}'", origin, line);
    }
    lines.push_back({.path = file.parent_path() / path, .label = label, .origin = origin});
  }
  if (lines.empty()) throw_error<DataError>("{}: lists no image", file.string());
  return lines;
}

std::vector<std::string> read_classes(const fs::path& file) {
  std::vector<std::string> names;
  std::istringstream text(read_text(file));
  for (std::string line; std::getline(text, line);) {
    if (const auto name = trimmed(line); !name.empty()) names.push_back(name);
  }
  require_class_names(names, file.string());
  return names;
}

bool is_number(const std::string& text) {
  return text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
}

// Maps the labels in the lists to label numbers.
class Labels {
 public:
  Labels(const fs::path& classes_file, const std::vector<Line>& lines) {
    numbers_ = std::all_of(lines.begin(), lines.end(),
                           [](const Line& line) { return is_number(line.label); });
    if (fs::exists(classes_file)) {
      names_ = read_classes(classes_file);
      counts_lines_ = numbers_;
    } else {
      for (const auto& line : lines) names_.push_back(line.label);
      std::sort(names_.begin(), names_.end(), [this](const auto& a, const auto& b) {
        return numbers_ && std::stol(a) != std::stol(b) ? std::stol(a) < std::stol(b) : a < b;
      });
      names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
    }
    for (const auto& name : names_) places_.emplace(name, static_cast<int64_t>(places_.size()));
  }

  const std::vector<std::string>& names() const { return names_; }

  int64_t operator()(const Line& line) const {
    if (counts_lines_) {
      const auto number = std::stol(line.label);
      if (number < static_cast<int64_t>(names_.size())) return number;
      throw_error<DataError>("{}: label {}: {} has {}, counted from 0", line.origin, number,
                             kClasses,
                             counted(static_cast<int64_t>(names_.size()), "class", "classes"));
    }
    const auto found = places_.find(line.label);
    if (found == places_.end()) {
      throw_error<DataError>("{}: class '{}' is not in {}{}", line.origin, line.label, kClasses,
                             did_you_mean(line.label, names_));
    }
    return found->second;
  }

 private:
  bool numbers_ = false;
  bool counts_lines_ = false;  // labels are line numbers of classes.txt
  std::vector<std::string> names_;
  std::map<std::string, int64_t> places_;
};

std::vector<ImageFile> to_files(const std::vector<Line>& lines, const Labels& labels) {
  std::vector<ImageFile> files;
  for (const auto& line : lines) {
    if (!fs::is_regular_file(line.path)) {
      throw_error<DataError>("{}: {}: no such file", line.origin, line.path.string());
    }
    files.push_back({.path = line.path, .label = labels(line)});
  }
  return files;
}

}  // namespace

ImageLists list_image_list(const fs::path& root, const ImageListOptions& options) {
  if (root.empty()) {
    throw_error<ConfigError>("data.root is not set: image_list needs the folder that contains {}",
                             options.train_list);
  }
  const auto test_file = root / options.test_list;
  const bool has_test = !options.test_list.empty();
  if (has_test && !fs::exists(test_file)) {
    throw_error<DataError>(
        "{}: no such file; set data.test_list to another list, or to \"\" to hold out "
        "data.test_fraction of the training images",
        test_file.string());
  }
  const auto train = read_lines(root / options.train_list);
  const auto test = has_test ? read_lines(test_file) : std::vector<Line>();
  auto all = train;
  all.insert(all.end(), test.begin(), test.end());
  const Labels labels(root / kClasses, all);
  ImageLists lists = {.class_names = labels.names(),
                      .train = to_files(train, labels),
                      .test = to_files(test, labels)};
  lists.list_files.push_back(
      {.path = root / options.train_list, .split = has_test ? kTrainSplit : kBothSplits});
  if (has_test) lists.list_files.push_back({.path = test_file, .split = kTestSplit});
  if (fs::exists(root / kClasses))
    lists.list_files.push_back({.path = root / kClasses, .split = kBothSplits});
  if (!has_test) hold_out_test(lists, options.test_fraction);
  return lists;
}

}  // namespace lethe
