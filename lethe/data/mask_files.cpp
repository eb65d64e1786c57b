#include "lethe/data/mask_files.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/text.h"
#include "lethe/data/mask_classes.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// The first id that is not a class, and the number of files with such ids.
struct UnknownId {
  const MaskFile* file = nullptr;
  int64_t id = 0;
  int64_t files = 0;  // files with an unknown id
};

class LabelFinder {
 public:
  explicit LabelFinder(const MaskLists& lists)
      : lists_(lists), classes_(static_cast<int64_t>(lists.class_names.size())) {}

  void add(MaskFile& file, const std::vector<int64_t>& ids) {
    bool is_unknown = false;
    for (const int64_t id : ids) {
      if (id == 0 || is_void(id)) continue;
      if (id < classes_) {
        file.labels.push_back(id);
        continue;
      }
      if (unknown_.file == nullptr) unknown_ = {.file = &file, .id = id, .files = 0};
      is_unknown = true;
    }
    if (is_unknown) ++unknown_.files;
  }

  void require_none_unknown() const {
    if (unknown_.file == nullptr) return;
    throw_error<DataError>(
        "{}: id {} is not a class: {} has {}, 0 to {}, and void is {}; "
        "{} mask{} such an id",
        unknown_.file->mask.string(), unknown_.id, lists_.classes_origin,
        counted(classes_, "class", "classes"), classes_ - 1, lists_.reading.void_id, unknown_.files,
        unknown_.files == 1 ? " contains" : "s contain");
  }

 private:
  // Colour tables use kVoid; files of ids use their own void id.
  bool is_void(int64_t id) const {
    return id == (lists_.reading.colours.empty() ? lists_.reading.void_id : int64_t{kVoid});
  }

  const MaskLists& lists_;
  int64_t classes_;
  UnknownId unknown_;
};

// Names the masks that cannot be decoded, up to a limit.
void report_flaws(const std::vector<std::string>& flaws, size_t masks, bool skip) {
  if (flaws.empty()) return;
  constexpr size_t kNamed = 10;
  const size_t before_last = flaws.size() - (skip ? 0 : 1);
  for (size_t i = 0; i < std::min(before_last, kNamed); ++i) log_warning("{}", flaws[i]);
  if (!skip) {
    throw_error<DataError>(
        "{}; {} of {} cannot be decoded: repair them, or set data.undecodable = \"skip\"",
        flaws.back(), flaws.size(), counted(static_cast<int64_t>(masks), "mask"));
  }
  log_warning("{} of {} {} skipped (data.undecodable = \"skip\")", flaws.size(),
              counted(static_cast<int64_t>(masks), "mask"), flaws.size() == 1 ? "is" : "are");
}

std::string size_text(const at::Tensor& tensor) {  // size of the last two dimensions
  return fmt::format("{} x {}", tensor.size(-1), tensor.size(-2));
}

void require_size_of(const at::Tensor& image, const fs::path& image_path, const at::Tensor& map,
                     const fs::path& map_path) {
  if (map.size(0) == image.size(1) && map.size(1) == image.size(2)) return;
  throw_error<DataError>(
      "{}: is {} (width x height), but its image {} is {}; both must have the same size",
      map_path.string(), size_text(map), image_path.string(), size_text(image));
}

void replace(const at::Tensor& mask, int64_t from, uint8_t to) {
  auto* pixel = mask.data_ptr<uint8_t>();
  std::replace(pixel, pixel + mask.numel(), static_cast<uint8_t>(from), to);
}

}  // namespace

void find_labels(MaskLists& lists, bool skip_undecodable, int threads) {
  std::vector<fs::path> masks;
  for (const auto* part : {&lists.train, &lists.test}) {
    for (const auto& file : *part) masks.push_back(file.mask);
  }
  const auto classes = classes_of_masks(masks, lists.reading.colours, threads,
                                        mask_cache_file(lists.root, lists.reading.colours));
  LabelFinder finder(lists);
  std::vector<std::string> flaws;
  auto next = classes.begin();
  for (auto* part : {&lists.train, &lists.test}) {
    for (auto& file : *part) {
      const auto& found = *next++;
      finder.add(file, found.ids);
      if (found.flaw.empty()) continue;
      flaws.push_back(found.flaw);
      file.mask.clear();  // marks it for removal
    }
  }
  finder.require_none_unknown();
  report_flaws(flaws, masks.size(), skip_undecodable);
  for (auto* part : {&lists.train, &lists.test}) {
    std::erase_if(*part, [](const MaskFile& file) { return file.mask.empty(); });
  }
}

MaskFiles::MaskFiles(DatasetInfo info, std::vector<MaskFile> files, MaskReading reading)
    : info_(std::move(info)), files_(std::move(files)), reading_(std::move(reading)) {
  require_class_names(info_.class_names, info_.name);
}

const MaskFile& MaskFiles::file(int64_t index) const {
  if (index < 0 || index >= size()) {
    throw_error<Error>("sample {}: expected a number from 0 to {}", index, size() - 1);
  }
  return files_[static_cast<size_t>(index)];
}

Sample MaskFiles::get(int64_t index) const {
  const auto& files = file(index);
  Sample sample = {.image = read_image(files.image),
                   .label = -1,
                   .mask = read_mask(files.mask, reading_.colours)};
  require_size_of(sample.image, files.image, sample.mask, files.mask);
  if (reading_.colours.empty() && reading_.void_id != kVoid) {
    replace(sample.mask, reading_.void_id, static_cast<uint8_t>(kVoid));
  }
  if (!files.saliency.empty()) {
    sample.saliency = read_mask(files.saliency);
    require_size_of(sample.image, files.image, sample.saliency, files.saliency);
  }
  return sample;
}

}  // namespace lethe
