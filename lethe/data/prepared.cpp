#include "lethe/data/prepared.h"

#include <ATen/ATen.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/sha256.h"
#include "lethe/core/text.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kFormat = "lethe prepared images 1";
constexpr const char* kTrainPixels = "train.bin";
constexpr const char* kTestPixels = "test.bin";
constexpr const char* kSums = "SHA256SUMS";

json images_to_json(const std::vector<PreparedImage>& images) {
  auto rows = json::array();
  for (const auto& image : images) {
    rows.push_back({image.name, image.label, image.offset, image.height, image.width, image.crc32});
  }
  return rows;
}

std::vector<PreparedImage> images_from_json(const json& rows) {
  std::vector<PreparedImage> images;
  images.reserve(rows.size());
  for (const auto& row : rows) {
    images.push_back({.name = row.at(0),
                      .label = row.at(1),
                      .offset = row.at(2),
                      .height = row.at(3),
                      .width = row.at(4),
                      .crc32 = row.at(5)});
  }
  return images;
}

PreparedIndex from_json(const json& root) {
  const auto& data = root.at("data");
  PreparedIndex index;
  index.options.name = data.at("name");
  index.options.root = data.at("root");
  index.options.size = data.at("size");
  index.options.test_fraction = data.at("test_fraction");
  index.options.train_list = data.at("train_list");
  index.options.test_list = data.at("test_list");
  index.options.undecodable = data.at("undecodable");
  index.class_names = root.at("classes");
  index.skipped = root.at("skipped");
  index.train = images_from_json(root.at("train"));
  index.test = images_from_json(root.at("test"));
  return index;
}

int64_t bytes_of(const PreparedImage& image) { return 3 * image.height * image.width; }

// Checks that the images follow one another without gaps.
void require_file(const fs::path& path, const std::vector<PreparedImage>& images) {
  int64_t expected = 0;
  for (const auto& image : images) {
    if (image.offset != expected || image.height <= 0 || image.width <= 0) {
      throw_error<DataError>(
          "{}: image {} does not follow the previous one; prepare the dataset again",
          (path.parent_path() / kPreparedIndex).string(), image.name);
    }
    expected += bytes_of(image);
  }
  if (!fs::is_regular_file(path)) {
    throw_error<DataError>("{}: no such file; prepare the dataset again", path.string());
  }
  const auto found = static_cast<int64_t>(fs::file_size(path));
  if (found != expected) {
    throw_error<DataError>("{}: expected {} bytes, found {}; prepare the dataset again",
                           path.string(), expected, found);
  }
}

// A read-only memory-mapped file.
class MappedFile {
 public:
  explicit MappedFile(const fs::path& path) : bytes_(fs::file_size(path)) {
    if (bytes_ == 0) return;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      data_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd, 0);
      ::close(fd);
    }
    if (fd < 0 || data_ == MAP_FAILED) {
      throw_error<DataError>("{}: cannot be mapped: {}", path.string(), std::strerror(errno));
    }
  }
  ~MappedFile() {
    if (bytes_ > 0) ::munmap(data_, bytes_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  uint8_t* at(int64_t offset) const { return static_cast<uint8_t*>(data_) + offset; }

 private:
  size_t bytes_;
  void* data_ = nullptr;
};

class PreparedImages : public Dataset {
 public:
  PreparedImages(DatasetInfo info, std::vector<PreparedImage> images, fs::path path)
      : info_(std::move(info)),
        images_(std::move(images)),
        path_(std::move(path)),
        file_(std::make_shared<MappedFile>(path_)) {}

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return static_cast<int64_t>(images_.size()); }

  Sample get(int64_t index) const override {
    const auto& image = this->image(index);
    uint8_t* pixels = file_->at(image.offset);
    if (::crc32_z(0, pixels, static_cast<size_t>(bytes_of(image))) != image.crc32) {
      throw_error<DataError>(
          "{}: the pixels of {} have changed since they were written; prepare the dataset again",
          path_.string(), image.name);
    }
    // The tensor keeps the mapping alive. The memory is read-only: samples must not be modified.
    const auto file = file_;
    return {.image = at::from_blob(
                pixels, {3, image.height, image.width}, [file](void*) {}, at::kByte),
            .label = image.label,
            .mask = {}};
  }

  std::vector<int64_t> labels_of(int64_t index) const override { return {image(index).label}; }

 private:
  const PreparedImage& image(int64_t index) const {
    if (index < 0 || index >= size()) {
      throw_error<Error>("sample {}: expected a number from 0 to {}", index, size() - 1);
    }
    return images_[static_cast<size_t>(index)];
  }

  DatasetInfo info_;
  std::vector<PreparedImage> images_;
  fs::path path_;
  std::shared_ptr<const MappedFile> file_;
};

// "data.size = 96, but /prepared was prepared with 224"
template <typename T>
void require_same(const char* key, const T& wanted, const T& prepared, const std::string& folder) {
  if (wanted == prepared) return;
  throw_error<ConfigError>(
      "{} = {}, but {} was prepared with {}; prepare it again, or do not set data.prepared", key,
      wanted, folder, prepared);
}

void require_same(const DataOptions& wanted, const PreparedIndex& index) {
  const auto& prepared = index.options;
  const auto& folder = wanted.prepared;
  require_same("data.name", wanted.name, prepared.name, folder);
  if (wanted.size > 0 || !find_dataset(wanted.name).own_images)
    require_same("data.size", wanted.size > 0 ? wanted.size : kPhotoSide, prepared.size, folder);
  // A prepared dataset can be moved to another machine, so root may be empty. If it is set, it must
  // match.
  if (!wanted.root.empty()) {
    require_same("data.root", normal_folder(wanted.root), prepared.root, folder);
  }
  require_same("data.test_fraction", wanted.test_fraction, prepared.test_fraction, folder);
  require_same("data.train_list", wanted.train_list, prepared.train_list, folder);
  require_same("data.test_list", wanted.test_list, prepared.test_list, folder);
  if (wanted.undecodable == "error" && !index.skipped.empty()) {
    throw_error<ConfigError>(
        "data.undecodable = \"error\", but {} was prepared without {} that cannot be "
        "decoded (the first: {}); set it to \"skip\"",
        folder, counted(static_cast<int64_t>(index.skipped.size()), "image"),
        index.skipped.front());
  }
}

}  // namespace

std::string normal_folder(const fs::path& folder) {
  const auto path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

std::string to_json(const PreparedIndex& index) {
  const auto& options = index.options;
  const json root = {{"format", kFormat},
                     {"data",
                      {{"name", options.name},
                       {"root", options.root},
                       {"size", options.size},
                       {"test_fraction", options.test_fraction},
                       {"train_list", options.train_list},
                       {"test_list", options.test_list},
                       {"undecodable", options.undecodable}}},
                     {"classes", index.class_names},
                     {"skipped", index.skipped},
                     {"train", images_to_json(index.train)},
                     {"test", images_to_json(index.test)}};
  return root.dump() + "\n";
}

PreparedIndex read_prepared_index(const fs::path& folder) {
  const auto path = folder / kPreparedIndex;
  if (!fs::is_regular_file(path)) {
    throw_error<DataError>("{}: no such file; create a prepared dataset with `lethe data prepare`",
                           path.string());
  }
  const auto text = read_text(path);
  const auto expected = sha256(text) + "  " + kPreparedIndex + "\n";
  if (read_text(folder / kSums) != expected) {
    throw_error<DataError>(
        "{}: has changed since it was written (SHA256SUMS); prepare the dataset again",
        path.string());
  }
  PreparedIndex index;
  try {
    const auto root = json::parse(text);
    if (root.at("format") != kFormat) {
      throw_error<DataError>("{}: expected the format '{}'; prepare the dataset again",
                             path.string(), kFormat);
    }
    index = from_json(root);
  } catch (const json::exception& error) {
    throw_error<DataError>("{}: is not the index of a prepared dataset: {}", path.string(),
                           error.what());
  }
  index.options.prepared = folder.string();
  require_file(folder / kTrainPixels, index.train);
  require_file(folder / kTestPixels, index.test);
  return index;
}

DataSplits open_prepared(const DataOptions& options) {
  const fs::path folder = options.prepared;
  auto index = read_prepared_index(folder);
  require_same(options, index);
  const auto info = photo_info(options, index.options.size, std::move(index.class_names));
  return {
      .train =
          std::make_shared<PreparedImages>(info, std::move(index.train), folder / kTrainPixels),
      .val = nullptr,
      .test = std::make_shared<PreparedImages>(info, std::move(index.test), folder / kTestPixels)};
}

std::vector<DataFile> prepared_files(const fs::path& folder) {
  return {{.path = folder / kPreparedIndex, .split = kBothSplits},
          {.path = folder / kSums, .split = kBothSplits},
          {.path = folder / kTrainPixels, .split = kTrainSplit},
          {.path = folder / kTestPixels, .split = kTestSplit}};
}

}  // namespace lethe
