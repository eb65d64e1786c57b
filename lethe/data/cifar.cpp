#include "lethe/data/cifar.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/pickle.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kSide = 32;
constexpr int64_t kImageBytes = 3 * kSide * kSide;  // planes of red, green, blue

// The files of the Python version: pickled dictionaries.
struct PythonLayout {
  std::string folder;
  std::vector<std::string> train_files;
  std::string test_file;
  std::string names_file;
  std::string labels_key;
  std::string names_key;
};

// Differences between CIFAR-10 and CIFAR-100.
struct Layout {
  std::string folder;  // in the official archive
  std::vector<std::string> train_files;
  std::string test_file;
  std::string names_file;
  int64_t label_bytes;  // bytes before every image; the last of them is the label
  PythonLayout python;
  DatasetInfo info;
};

DatasetInfo make_info(std::string name, std::vector<std::string> class_names,
                      std::vector<double> mean, std::vector<double> std) {
  return {.name = std::move(name),
          .problem = Problem::kImages,
          .class_names = std::move(class_names),
          .channels = 3,
          .height = kSide,
          .width = kSide,
          .mean = std::move(mean),
          .std = std::move(std)};
}

Layout cifar10_layout() {
  return {.folder = "cifar-10-batches-bin",
          .train_files = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                          "data_batch_4.bin", "data_batch_5.bin"},
          .test_file = "test_batch.bin",
          .names_file = "batches.meta.txt",
          .label_bytes = 1,
          .python = {.folder = "cifar-10-batches-py",
                     .train_files = {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                                     "data_batch_5"},
                     .test_file = "test_batch",
                     .names_file = "batches.meta",
                     .labels_key = "labels",
                     .names_key = "label_names"},
          .info = make_info("cifar10",
                            {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog",
                             "horse", "ship", "truck"},
                            {0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616})};
}

std::vector<std::string> cifar100_names() {
  return {"apple",       "aquarium_fish", "baby",      "bear",       "beaver",       "bed",
          "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
          "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
          "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
          "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
          "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
          "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn_mower",
          "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple_tree",
          "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak_tree",     "orange",
          "orchid",      "otter",         "palm_tree", "pear",       "pickup_truck", "pine_tree",
          "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
          "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
          "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
          "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet_pepper",
          "table",       "tank",          "telephone", "television", "tiger",        "tractor",
          "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
          "willow_tree", "wolf",          "woman",     "worm"};
}

Layout cifar100_layout() {  // mean and standard deviation of specification 2.2
  return {
      .folder = "cifar-100-binary",
      .train_files = {"train.bin"},
      .test_file = "test.bin",
      .names_file = "fine_label_names.txt",
      .label_bytes = 2,
      .python = {.folder = "cifar-100-python",
                 .train_files = {"train"},
                 .test_file = "test",
                 .names_file = "meta",
                 .labels_key = "fine_labels",
                 .names_key = "fine_label_names"},
      .info = make_info("cifar100", cifar100_names(), {0.5070751592, 0.4865488733, 0.4409178434},
                        {0.2673342859, 0.2564384629, 0.2761504713})};
}

// The folder of the files, and whether they are the Python version. Binary files come first.
struct Place {
  fs::path folder;
  bool is_python = false;
};

Place find_files(const fs::path& root, const Layout& layout) {
  const auto& first = layout.train_files.front();
  if (root.empty()) {
    throw_error<ConfigError>("data.root is not set: {} needs the folder that contains {}",
                             layout.info.name, first);
  }
  for (const auto& folder : {root, root / layout.folder}) {
    if (fs::is_regular_file(folder / first)) return {.folder = folder, .is_python = false};
  }
  for (const auto& folder : {root, root / layout.python.folder}) {
    if (fs::is_regular_file(folder / layout.python.train_files.front()))
      return {.folder = folder, .is_python = true};
  }
  throw_error<DataError>(
      "{}: no such file, nor {}/{}; data.root must be the folder of {}'s binary files (or Python "
      "files)",
      (root / first).string(), layout.folder, first, layout.info.name);
}

// The official files end with an empty line.
std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> names;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

void require_count(const fs::path& path, const std::vector<std::string>& names, size_t expected) {
  if (names.size() != expected) {
    throw_error<DataError>("{}: expected {} class names, found {}", path.string(), expected,
                           names.size());
  }
}

void require_label(int64_t label, int64_t record, const fs::path& path, const Layout& layout) {
  const auto classes = static_cast<int64_t>(layout.info.class_names.size());
  if (label >= 0 && label < classes) return;
  throw_error<DataError>("{}: label of record {}: expected 0 to {}, found {}", path.string(),
                         record, classes - 1, label);
}

int64_t count_records(const fs::path& path, int64_t record_bytes) {
  if (!fs::is_regular_file(path)) throw_error<DataError>("{}: no such file", path.string());
  const auto bytes = static_cast<int64_t>(fs::file_size(path));
  if (bytes == 0 || bytes % record_bytes != 0) {
    throw_error<DataError>("{}: expected a whole number of records of {} bytes, found {} bytes",
                           path.string(), record_bytes, bytes);
  }
  return bytes / record_bytes;
}

// Reads count records: the images to `images`, [count, 3, 32, 32], the labels to the end of labels.
void read_records(const fs::path& path, const Layout& layout, int64_t count, uint8_t* images,
                  std::vector<int64_t>& labels) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw_error<DataError>("{}: cannot be opened: {}", path.string(), std::strerror(errno));
  std::vector<char> head(static_cast<size_t>(layout.label_bytes));
  for (int64_t i = 0; i < count; ++i, images += kImageBytes) {
    file.read(head.data(), layout.label_bytes);
    file.read(reinterpret_cast<char*>(images), kImageBytes);
    if (!file) {
      throw_error<DataError>("{}: cannot be read: expected {} records, found {}", path.string(),
                             count, i);
    }
    const int64_t label = static_cast<unsigned char>(head.back());
    require_label(label, i, path, layout);
    labels.push_back(label);
  }
}

DatasetPtr read_split(const fs::path& folder, const Layout& layout,
                      const std::vector<std::string>& files) {
  std::vector<int64_t> counts;
  int64_t total = 0;
  for (const auto& file : files) {
    counts.push_back(count_records(folder / file, layout.label_bytes + kImageBytes));
    total += counts.back();
  }
  auto images = at::empty({total, 3, kSide, kSide}, at::kByte);
  std::vector<int64_t> labels;
  labels.reserve(static_cast<size_t>(total));
  for (size_t i = 0; i < files.size(); ++i) {
    uint8_t* next = images.data_ptr<uint8_t>() + static_cast<int64_t>(labels.size()) * kImageBytes;
    read_records(folder / files[i], layout, counts[i], next, labels);
  }
  return std::make_shared<ImageBlock>(layout.info, std::move(images), std::move(labels),
                                      folder.string());
}

const PickleNames& names_of_numpy() {
  static const PickleNames names = {
      .allowed = {"numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct",
                  "numpy.ndarray", "numpy.dtype", "_codecs.encode"},
      .refusal = "is not part of CIFAR's files (it was not run)"};
  return names;
}

PickleDict read_pickled_dict(const fs::path& path) {
  const auto bytes = read_text(path);
  try {
    const auto value = read_pickle(bytes, names_of_numpy());
    if (const auto* dict = value->get<PickleDict>()) return *dict;
  } catch (const DataError& error) {
    throw_error<DataError>("{}: {}", path.string(), error.what());
  }
  throw_error<DataError>("{}: is not a pickled dictionary", path.string());
}

template <typename T>
const T& require(const T* value, const std::string& key, const fs::path& path) {
  if (value == nullptr)
    throw_error<DataError>("{}: has no '{}' of the expected type", path.string(), key);
  return *value;
}

// The items of a list that has the given key.
template <typename T>
std::vector<T> read_pickled_list(const PickleDict& dict, const std::string& key,
                                 const fs::path& path) {
  const auto list = find(dict, key);
  std::vector<T> items;
  for (const auto& item : require(list ? list->get<PickleList>() : nullptr, key, path))
    items.push_back(require(item->get<T>(), key, path));
  return items;
}

// Python 3 writes bytes in protocol 2 as text with the characters 0 to 255: back to bytes.
std::string latin1_of_utf8(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<uint8_t>(text[i]);
    if (first < 0x80 || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      bytes += static_cast<char>((first & 0x03) << 6 | (static_cast<uint8_t>(text[++i]) & 0x3F));
    }
  }
  return bytes;
}

// The bytes of a NumPy array uint8 [rows, columns] in C order; std::nullopt if it is something
// else.
std::optional<std::string> bytes_of_array(const PickleValue& value, int64_t rows, int64_t columns) {
  const auto* array = value.get<PickleObject>();
  if (array == nullptr || !array->name.ends_with("_reconstruct") || !array->state) return {};
  const auto* state = array->state->get<PickleTuple>();  // version, shape, type, order, bytes
  if (state == nullptr) return {};
  const auto* shape = state->get<PickleTuple>(1);
  const auto* type = state->get<PickleObject>(2);
  const auto* is_fortran = state->get<bool>(3);
  const auto* encoded = state->get<PickleObject>(4);
  const auto* text = encoded ? encoded->arguments->get<std::string>(0) : state->get<std::string>(4);
  if (!shape || !type || !is_fortran || !text) return {};
  const auto is = [](const auto* found, const auto& expected) {
    return found != nullptr && *found == expected;
  };
  if (!is(shape->get<int64_t>(0), rows) || !is(shape->get<int64_t>(1), columns) ||
      !is(type->arguments->get<std::string>(0), "u1") || *is_fortran)
    return {};
  auto bytes = encoded ? latin1_of_utf8(*text) : *text;
  if (static_cast<int64_t>(bytes.size()) != rows * columns) return {};
  return bytes;
}

// The same from pickles: every file has an array [N, 3072] of planes and a list of labels.
DatasetPtr read_python_split(const fs::path& folder, const Layout& layout,
                             const std::vector<std::string>& files) {
  std::string pixels;
  std::vector<int64_t> labels;
  for (const auto& file : files) {
    const auto path = folder / file;
    const auto dict = read_pickled_dict(path);
    const auto found = read_pickled_list<int64_t>(dict, layout.python.labels_key, path);
    const auto count = static_cast<int64_t>(found.size());
    const auto array = find(dict, "data");
    require(array.get(), "data", path);
    const auto bytes = bytes_of_array(*array, count, kImageBytes);
    if (!bytes) {
      throw_error<DataError>("{}: expected an array of {} x {} bytes for {} labels", path.string(),
                             count, kImageBytes, count);
    }
    for (int64_t i = 0; i < count; ++i) {
      require_label(found[static_cast<size_t>(i)], i, path, layout);
    }
    pixels += *bytes;
    labels.insert(labels.end(), found.begin(), found.end());
  }
  auto images = at::empty({static_cast<int64_t>(labels.size()), 3, kSide, kSide}, at::kByte);
  std::copy(pixels.begin(), pixels.end(), images.data_ptr<uint8_t>());
  return std::make_shared<ImageBlock>(layout.info, std::move(images), std::move(labels),
                                      folder.string());
}

DataSplits load_python(const fs::path& folder, Layout layout) {
  const auto& python = layout.python;
  if (const auto path = folder / python.names_file; fs::exists(path)) {
    auto names = read_pickled_list<std::string>(read_pickled_dict(path), python.names_key, path);
    require_count(path, names, layout.info.class_names.size());
    layout.info.class_names = std::move(names);
  }
  return {.train = read_python_split(folder, layout, python.train_files),
          .val = nullptr,
          .test = read_python_split(folder, layout, {python.test_file})};
}

DataSplits load(const fs::path& root, Layout layout) {
  const auto [folder, is_python] = find_files(root, layout);
  if (is_python) return load_python(folder, std::move(layout));
  if (const auto path = folder / layout.names_file; fs::exists(path)) {
    auto names = read_lines(path);
    require_count(path, names, layout.info.class_names.size());
    layout.info.class_names = std::move(names);
  }
  return {.train = read_split(folder, layout, layout.train_files),
          .val = nullptr,
          .test = read_split(folder, layout, {layout.test_file})};
}

std::vector<DataFile> files_of(const fs::path& root, const Layout& layout) {
  const auto [folder, is_python] = find_files(root, layout);
  const auto& python = layout.python;
  std::vector<DataFile> files;
  for (const auto& name : is_python ? python.train_files : layout.train_files) {
    files.push_back({.path = folder / name, .split = kTrainSplit});
  }
  const auto test = folder / (is_python ? python.test_file : layout.test_file);
  files.push_back({.path = test, .split = kTestSplit});
  const auto names = folder / (is_python ? python.names_file : layout.names_file);
  if (fs::exists(names)) files.push_back({.path = names, .split = kBothSplits});
  return files;
}

}  // namespace

DataSplits load_cifar10(const fs::path& root) { return load(root, cifar10_layout()); }

DataSplits load_cifar100(const fs::path& root) { return load(root, cifar100_layout()); }

std::vector<DataFile> cifar10_files(const fs::path& root) {
  return files_of(root, cifar10_layout());
}

std::vector<DataFile> cifar100_files(const fs::path& root) {
  return files_of(root, cifar100_layout());
}

}  // namespace lethe
