#include "lethe/data/prepare.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/sha256.h"
#include "lethe/data/image_file.h"
#include "lethe/data/parallel.h"
#include "lethe/data/prepared.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// A temporary folder, removed at the end unless it was moved into place.
class Staging {
 public:
  explicit Staging(const fs::path& target) : target_(target), path_(staging_path(target)) {
    fs::create_directories(path_);
  }
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const fs::path& path() const { return path_; }
  void put_in_place() const { replace_folder(path_, target_); }

 private:
  fs::path target_;
  fs::path path_;
};

// Removes staging folders of a killed preparation of the same folder, but not those of a running
// one.
void remove_leftovers(const fs::path& target) {
  const auto parent = target.parent_path();
  if (!fs::exists(parent)) return;
  const auto name = target.filename().string();
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(parent)) {
    const auto staged = entry.path().filename().string();
    if (staged_target(staged) != name) continue;
    const auto pid = static_cast<pid_t>(std::stol(staged.substr(staged.rfind('-') + 1)));
    if (::kill(pid, 0) != 0 && errno == ESRCH) stale.push_back(entry.path());
  }
  for (const auto& path : stale) fs::remove_all(path);
}

// Writes images one after the other.
class PixelFile {
 public:
  explicit PixelFile(fs::path path) : path_(std::move(path)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd_ < 0) fail();
  }
  ~PixelFile() { ::close(fd_); }
  PixelFile(const PixelFile&) = delete;
  PixelFile& operator=(const PixelFile&) = delete;

  int64_t size() const { return size_; }

  void append(const at::Tensor& image) {
    const auto* data = image.data_ptr<uint8_t>();
    int64_t left = image.numel();
    while (left > 0) {
      const auto written = ::write(fd_, data, static_cast<size_t>(left));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      data += written;
      left -= written;
      size_ += written;
    }
  }

  void sync() const {
    if (::fsync(fd_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw_error<Error>("{}: cannot be written: {}", path_.string(), std::strerror(errno));
  }

  fs::path path_;
  int fd_ = -1;
  int64_t size_ = 0;
};

// The result for one file: an image, or the reason why there is none.
struct Made {
  at::Tensor image;
  uint32_t crc32 = 0;
  std::string flaw;
};

Made make(const ImageFile& file, const StoredSize& size, bool skip) {
  Made made;
  try {
    made.image = read_stored(file.path, size);
    made.crc32 = static_cast<uint32_t>(
        ::crc32_z(0, made.image.data_ptr<uint8_t>(), static_cast<size_t>(made.image.numel())));
  } catch (const UndecodableImage& error) {
    if (!skip) throw;
    made.flaw = error.what();
  }
  return made;
}

class Preparation {
 public:
  Preparation(const DataOptions& options, const PrepareOptions& how, int64_t total)
      : options_(options), how_(how), progress_("preparing images", total) {}

  // Images are decoded in parallel, a block at a time, and written in order.
  std::vector<PreparedImage> write(const std::vector<ImageFile>& files, const StoredSize& size,
                                   const fs::path& path, std::vector<std::string>& skipped) {
    PixelFile out(path);
    std::vector<PreparedImage> images;
    const auto count = static_cast<int64_t>(files.size());
    const int64_t step = 16 * int64_t{how_.threads};
    for (int64_t first = 0; first < count; first += step) {
      const int64_t last = std::min(count, first + step);
      std::vector<Made> made(static_cast<size_t>(last - first));
      parallel_for(first, last, how_.threads, [&](int64_t i) {
        if (how_.should_stop()) throw Interrupted("stopped: nothing was prepared");
        made[static_cast<size_t>(i - first)] =
            make(files[static_cast<size_t>(i)], size, options_.undecodable == "skip");
        progress_.add();
      });
      for (int64_t i = first; i < last; ++i) {
        append(files[static_cast<size_t>(i)], made[static_cast<size_t>(i - first)], out, images,
               skipped);
      }
    }
    out.sync();
    return images;
  }

 private:
  void append(const ImageFile& file, const Made& made, PixelFile& out,
              std::vector<PreparedImage>& images, std::vector<std::string>& skipped) const {
    const auto name = name_of(file.path);
    if (!made.flaw.empty()) {
      constexpr size_t kNamed = 10;
      if (skipped.size() < kNamed) log_warning("{}", made.flaw);
      skipped.push_back(name);
      return;
    }
    images.push_back({.name = name,
                      .label = file.label,
                      .offset = out.size(),
                      .height = made.image.size(1),
                      .width = made.image.size(2),
                      .crc32 = made.crc32});
    out.append(made.image);
  }

  std::string name_of(const fs::path& path) const {
    const auto below = path.lexically_relative(options_.root).string();
    return below.empty() || below.starts_with("..") ? path.string() : below;
  }

  const DataOptions& options_;
  const PrepareOptions& how_;
  ImageProgress progress_;
};

fs::path require_free(const fs::path& folder) {
  if (folder.empty()) throw ConfigError("data prepare: no output folder is given");
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    throw_error<ConfigError>("{}: exists and is not empty; remove it or choose another folder",
                             folder.string());
  }
  return normal_folder(folder);  // the staging folder is next to it
}

}  // namespace

PrepareReport prepare_images(const DataOptions& options, const fs::path& folder,
                             const PrepareOptions& how) {
  const auto& entry = find_dataset(options.name);
  if (!entry.list) {
    throw_error<ConfigError>(
        "data.name = \"{}\": is loaded into memory at the start; only datasets of image files can "
        "be prepared",
        options.name);
  }
  const auto target = require_free(folder);
  remove_leftovers(target);
  const auto lists = entry.list(options);
  PreparedIndex index;
  index.options = options;
  index.options.root = normal_folder(options.root);
  index.options.size = image_side(options, lists);
  index.class_names = lists.class_names;

  const Staging staging(target);
  Preparation preparation(options, how,
                          static_cast<int64_t>(lists.train.size() + lists.test.size()));
  index.train = preparation.write(lists.train, stored_for_training(index.options.size),
                                  staging.path() / "train.bin", index.skipped);
  index.test = preparation.write(lists.test, stored_for_testing(index.options.size),
                                 staging.path() / "test.bin", index.skipped);
  const auto text = to_json(index);
  write_durably(staging.path() / kPreparedIndex, text);
  write_durably(staging.path() / "SHA256SUMS", sha256(text) + "  " + kPreparedIndex + "\n");
  staging.put_in_place();

  const auto bytes = [](const std::vector<PreparedImage>& images) {
    return images.empty() ? 0
                          : images.back().offset + 3 * images.back().height * images.back().width;
  };
  return {.train = static_cast<int64_t>(index.train.size()),
          .test = static_cast<int64_t>(index.test.size()),
          .skipped = static_cast<int64_t>(index.skipped.size()),
          .bytes = bytes(index.train) + bytes(index.test)};
}

}  // namespace lethe
