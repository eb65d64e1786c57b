#include "lethe/data/mask_folder.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/text.h"
#include "lethe/data/image_file.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr const char* kLists = "ImageSets/Segmentation";
constexpr const char* kMasks = "SegmentationClass";
constexpr const char* kAugmentedMasks = "SegmentationClassAug";

const std::vector<std::string>& voc_classes() {
  static const std::vector<std::string> names = {
      "background", "aeroplane", "bicycle",     "bird",  "boat",        "bottle", "bus",
      "car",        "cat",       "chair",       "cow",   "diningtable", "dog",    "horse",
      "motorbike",  "person",    "pottedplant", "sheep", "sofa",        "train",  "tvmonitor"};
  return names;
}

// A line that is not empty, without surrounding blanks.
struct Line {
  int64_t number;  // from 1
  std::string text;
};

std::vector<Line> read_lines(const fs::path& file) {
  std::vector<Line> lines;
  std::istringstream text(read_text(file));
  int64_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const auto last = line.find_last_not_of(" \t\r");
    if (last == std::string::npos) continue;
    const auto first = line.find_first_not_of(" \t");
    lines.push_back({number, line.substr(first, last - first + 1)});
  }
  return lines;
}

// Line 1 is id 0. An empty line would shift the ids of all lines after it.
std::vector<std::string> read_class_names(const fs::path& file) {
  std::vector<std::string> names;
  for (auto& [number, name] : read_lines(file)) {
    const auto expected = std::ssize(names) + 1;
    if (number != expected)
      throw_error<DataError>("{}:{}: is empty; the number of a line is the id of its class",
                             file.string(), expected);
    names.push_back(std::move(name));
  }
  return names;
}

void require_there(const fs::path& path, const char* key, const char* what) {
  if (fs::exists(path)) return;
  throw_error<DataError>("{}: no such file or folder; {} names {}", path.string(), key, what);
}

// The list that a key names: a path relative to the root, or the name of a list in the usual
// folder.
fs::path list_file(const fs::path& root, const std::string& value) {
  const auto below = root / value;
  return fs::is_regular_file(below) ? below : root / kLists / (value + ".txt");
}

// Folders of masks; the first folder that has a mask is used. The augmented masks come from SBD,
// whose archives do not always contain the masks of val.
using Folders = std::vector<fs::path>;

fs::path find_mask(const Folders& folders, const std::string& name) {
  for (const auto& folder : folders) {
    if (auto path = folder / (name + ".png"); fs::is_regular_file(path)) return path;
  }
  return {};
}

struct Layout {
  fs::path root;
  fs::path images;
  Folders masks;
  fs::path saliency;  // empty = none
};

// Counts listed files that do not exist.
class Missing {
 public:
  explicit Missing(const fs::path& list) : list_(list) {}

  void add(const std::string& what, const fs::path& expected) {
    if (count_++ == 0) first_ = fmt::format("{}: no such {}", expected.string(), what);
  }
  void require_none(size_t listed) const {
    if (count_ == 0) return;
    throw_error<DataError>("{}, but {} lists it; {} file{} of {} listed images {} missing", first_,
                           list_.string(), count_, count_ == 1 ? "" : "s", listed,
                           count_ == 1 ? "is" : "are");
  }

 private:
  const fs::path& list_;
  int64_t count_ = 0;
  std::string first_;
};

// "/JPEGImages/a.jpg /SegmentationClassAug/a.png", as in some lists of the augmented dataset.
bool is_pair(const std::string& line, fs::path& image, fs::path& mask) {
  std::istringstream words(line);
  std::string first, second, more;
  if (!(words >> first >> second) || (words >> more)) return false;
  if (first.find('/') == std::string::npos || second.find('/') == std::string::npos) return false;
  image = fs::path(first).relative_path();
  mask = fs::path(second).relative_path();
  return true;
}

MaskFile find_pair(const std::string& line, const Layout& layout) {
  MaskFile file;
  if (fs::is_regular_file(layout.images / line)) {  // with its extension
    return {.image = layout.images / line,
            .mask = find_mask(layout.masks, fs::path(line).replace_extension().string())};
  }
  if (!is_pair(line, file.image, file.mask)) {
    return {.image = find_image(layout.images, line), .mask = find_mask(layout.masks, line)};
  }
  file.image = layout.root / file.image;
  file.mask = layout.root / file.mask;
  return file;
}

// "image (.jpg, .png, ...)"
std::string any_image() { return fmt::format("image ({})", fmt::join(image_suffixes(), ", ")); }

std::vector<MaskFile> read_list(const fs::path& list, const Layout& layout) {
  std::vector<MaskFile> files;
  Missing missing(list);
  const auto lines = read_lines(list);
  if (lines.empty()) throw_error<DataError>("{}: lists no image", list.string());
  for (const auto& [number, line] : lines) {
    auto file = find_pair(line, layout);
    if (!fs::is_regular_file(file.image)) {
      missing.add(file.image.empty() ? any_image() : "image",
                  file.image.empty() ? layout.images / line : file.image);
    }
    if (!fs::is_regular_file(file.mask)) {
      missing.add("mask", file.mask.empty() ? layout.masks.front() / (line + ".png") : file.mask);
    }
    if (!layout.saliency.empty()) {
      file.saliency = layout.saliency / file.image.filename().replace_extension(".png");
      if (!fs::is_regular_file(file.saliency)) missing.add("saliency map", file.saliency);
    }
    files.push_back(std::move(file));
  }
  missing.require_none(lines.size());
  return files;
}

void require_classes(const MaskLists& lists) {
  require_class_names(lists.class_names, lists.classes_origin);
  const auto classes = static_cast<int64_t>(lists.class_names.size());
  if (classes < 2 || classes > kVoid) {
    throw_error<DataError>("{}: has {}; expected background and 1 to 254 others",
                           lists.classes_origin, counted(classes, "class", "classes"));
  }
  if (lists.reading.void_id < classes) {
    throw_error<ConfigError>("data.void = {}: is the id of '{}' in {}", lists.reading.void_id,
                             lists.class_names[static_cast<size_t>(lists.reading.void_id)],
                             lists.classes_origin);
  }
}

// An image that is listed twice counts twice. Scores on training images are too high.
void warn_of_repeats(const MaskLists& lists, const fs::path& train_list,
                     const fs::path& test_list) {
  const auto images_of = [](const std::vector<MaskFile>& files, const fs::path& list) {
    std::set<fs::path> images;
    int64_t repeats = 0;
    const fs::path* first = nullptr;
    for (const auto& file : files) {
      if (images.insert(file.image).second) continue;
      if (repeats++ == 0) first = &file.image;
    }
    if (repeats > 0)
      log_warning("{}: {} of {} lines {} an image, first {}", list.string(), repeats, files.size(),
                  repeats == 1 ? "repeats" : "repeat", first->filename().string());
    return images;
  };
  const auto train = images_of(lists.train, train_list);
  const auto test = images_of(lists.test, test_list);
  std::vector<fs::path> both;
  std::set_intersection(train.begin(), train.end(), test.begin(), test.end(),
                        std::back_inserter(both));
  if (!both.empty())
    log_warning(
        "{} of {} also in the training images ({}, {}), first {}: the scores will be too high",
        both.size(),
        counted(static_cast<int64_t>(test.size()), "test image") +
            (both.size() == 1 ? " is" : " are"),
        train_list.string(), test_list.string(), both.front().filename().string());
}

void read_parts(MaskLists& lists, const MaskFolderOptions& options, Layout layout,
                const std::string& train, const std::string& test) {
  require_classes(lists);
  require_there(layout.images, "data.images", "the folder of images, relative to data.root");
  require_there(layout.masks.front(), "data.masks", "the folder of masks, relative to data.root");
  if (!options.saliency.empty()) {
    layout.saliency = options.saliency;
    require_there(layout.saliency, "data.saliency", "a folder of PNG maps");
  }
  const auto train_list = list_file(lists.root, train);
  const auto test_list = list_file(lists.root, test);
  require_there(train_list, "data.train_names",
                "the list of training images, relative to data.root");
  require_there(test_list, "data.test_names", "the list of test images, relative to data.root");
  lists.train = read_list(train_list, layout);
  layout.saliency.clear();  // used in training only
  lists.test = read_list(test_list, layout);
  lists.list_files.push_back({.path = train_list, .split = kTrainSplit});
  lists.list_files.push_back({.path = test_list, .split = kTestSplit});
  warn_of_repeats(lists, train_list, test_list);
}

std::string or_else(const std::string& value, const std::string& own) {
  return value == "auto" ? own : value;
}

void require_root(const fs::path& root, const char* help) {
  if (root.empty()) throw_error<ConfigError>("data.root is not set: {}", help);
  if (!fs::is_directory(root)) throw_error<DataError>("{}: no such folder", root.string());
}

fs::path voc_folder(const fs::path& root) {
  for (const char* below : {"", "VOC2012", "VOCdevkit/VOC2012"}) {
    if (auto folder = root / below; fs::is_directory(folder / kLists)) return folder;
  }
  throw_error<DataError>("{}: {} not found there or in VOCdevkit/VOC2012; unpack VOCtrainval there",
                         root.string(), kLists);
}

}  // namespace

MaskLists list_mask_folder(const fs::path& root, const MaskFolderOptions& options) {
  require_root(root,
               "mask_folder needs a folder with JPEGImages/, SegmentationClass/, "
               "ImageSets/Segmentation/train.txt and val.txt, and classes.txt");
  MaskLists lists;
  lists.root = root;
  const auto classes = root / options.classes;
  require_there(classes, "data.classes", "the list of class names, background first");
  lists.class_names = read_class_names(classes);
  lists.list_files.push_back({.path = classes, .split = kBothSplits});
  if (!lists.class_names.empty() && lists.class_names.front() != "background")
    log_warning("{}: '{}' in line 1 is used as the background (id 0)", classes.string(),
                lists.class_names.front());
  lists.classes_origin = classes.string();
  lists.reading.void_id = options.void_id;
  if (!options.colours.empty()) {
    const auto table = root / options.colours;
    require_there(table, "data.mask_colours", "a table of \"R G B class\" lines");
    lists.reading.colours = read_colour_table(table, lists.class_names);
    lists.list_files.push_back({.path = table, .split = kBothSplits});
  }
  const Layout layout = {.root = root,
                         .images = root / options.images,
                         .masks = {root / or_else(options.masks, kMasks)},
                         .saliency = {}};
  read_parts(lists, options, layout, or_else(options.train_names, "train"),
             or_else(options.test_names, "val"));
  return lists;
}

MaskLists list_voc2012(const fs::path& root, const MaskFolderOptions& options) {
  require_root(root, "voc2012 needs the folder VOC2012 or VOCdevkit");
  MaskLists lists;
  lists.root = voc_folder(root);
  lists.class_names = voc_classes();
  lists.classes_origin = "VOC 2012";
  Layout layout = {
      .root = lists.root, .images = lists.root / options.images, .masks = {}, .saliency = {}};
  if (options.masks != "auto") {
    layout.masks = {lists.root / options.masks};
  } else {
    for (const char* folder : {kAugmentedMasks, kMasks}) {
      if (fs::is_directory(lists.root / folder)) layout.masks.push_back(lists.root / folder);
    }
    if (layout.masks.empty()) layout.masks = {lists.root / kMasks};  // the error names it
  }
  const bool augmented = layout.masks.front().filename() == kAugmentedMasks &&
                         fs::exists(lists.root / kLists / "train_aug.txt");
  read_parts(lists, options, std::move(layout),
             or_else(options.train_names, augmented ? "train_aug" : "train"),
             or_else(options.test_names, "val"));
  return lists;
}

}  // namespace lethe
