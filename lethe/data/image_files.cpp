#include "lethe/data/image_files.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/signals.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/data/hold_out.h"
#include "lethe/data/image_file.h"
#include "lethe/data/parallel.h"
#include "lethe/data/resample.h"

namespace lethe {

namespace fs = std::filesystem;

void hold_out_test(ImageLists& lists, double fraction) {
  std::vector<int64_t> labels;
  for (const auto& file : lists.train) labels.push_back(file.label);
  const auto parts = hold_out(labels, fraction, HeldOutFor::kTesting);
  std::vector<ImageFile> kept;
  for (const auto i : parts.kept) kept.push_back(lists.train[static_cast<size_t>(i)]);
  for (const auto i : parts.held) lists.test.push_back(lists.train[static_cast<size_t>(i)]);
  lists.train = std::move(kept);
}

void require_files(const std::vector<ImageFile>& files, const fs::path& origin) {
  const auto is_missing = [](const ImageFile& file) { return !fs::is_regular_file(file.path); };
  const auto missing = std::count_if(files.begin(), files.end(), is_missing);
  if (missing == 0) return;
  const auto first = std::find_if(files.begin(), files.end(), is_missing);
  throw_error<DataError>(
      "{}: no such file, but {} lists it; {} of {} {} missing: unpack the whole archive",
      first->path.string(), origin.string(), missing,
      counted(static_cast<int64_t>(files.size()), "image"), missing == 1 ? "is" : "are");
}

StoredSize stored_for_training(int64_t size) {
  return {.side = std::llround(static_cast<double>(size) * 256 / 224), .keep_proportions = true};
}

StoredSize stored_for_testing(int64_t size) { return {.side = size, .keep_proportions = false}; }

at::Tensor read_stored(const fs::path& path, const StoredSize& size) {
  const auto image = read_image(path);
  return size.keep_proportions ? resample_short_side(image, size.side)
                               : resample(image, size.side, size.side);
}

std::vector<Undecodable> find_undecodable(const std::vector<ImageFile>& files, int threads) {
  std::mutex mutex;
  std::vector<Undecodable> found;
  const auto total = static_cast<int64_t>(files.size());
  ImageProgress progress("checking images", total);
  parallel_for(0, total, threads, [&](int64_t i) {
    if (stop_requested()) throw Interrupted("stopped while images were checked");
    std::string message;
    try {
      read_image(files[static_cast<size_t>(i)].path);
    } catch (const UndecodableImage& error) {
      message = error.what();
    }
    progress.add();
    if (message.empty()) return;
    const std::lock_guard lock(mutex);
    found.push_back({.index = i, .message = message});
  });
  std::sort(found.begin(), found.end(),
            [](const Undecodable& a, const Undecodable& b) { return a.index < b.index; });
  return found;
}

std::vector<int64_t> left_out(const std::vector<ImageFile>& files, const char* part) {
  const auto bad = find_undecodable(files, physical_cores());
  constexpr size_t kNamed = 10;
  for (size_t i = 0; i < std::min(bad.size(), kNamed); ++i) log_warning("{}", bad[i].message);
  if (!bad.empty()) {
    log_warning("{} of {} {} skipped (data.undecodable = \"skip\")", bad.size(),
                counted(static_cast<int64_t>(files.size()), fmt::format("{} image", part)),
                bad.size() == 1 ? "is" : "are");
  }
  std::vector<int64_t> numbers;
  for (const auto& image : bad) numbers.push_back(image.index);
  return numbers;
}

ImageFiles::ImageFiles(DatasetInfo info, std::vector<ImageFile> files, const StoredSize& size)
    : info_(std::move(info)), files_(std::move(files)), size_(size) {
  require_class_names(info_.class_names, info_.name);
  for (const auto& file : files_) {
    if (file.label < 0 || file.label >= static_cast<int64_t>(info_.class_names.size())) {
      throw_error<DataError>("{}: label {}: expected 0 to {}", file.path.string(), file.label,
                             info_.class_names.size() - 1);
    }
  }
}

const ImageFile& ImageFiles::file(int64_t index) const {
  if (index < 0 || index >= size()) {
    throw_error<Error>("sample {}: expected a number from 0 to {}", index, size() - 1);
  }
  return files_[static_cast<size_t>(index)];
}

Sample ImageFiles::get(int64_t index) const {
  const auto& [path, label] = file(index);
  return {.image = read_stored(path, size_), .label = label, .mask = {}};
}

std::vector<int64_t> ImageFiles::labels_of(int64_t index) const { return {file(index).label}; }

}  // namespace lethe
