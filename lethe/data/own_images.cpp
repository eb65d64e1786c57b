#include "lethe/data/own_images.h"

#include <algorithm>
#include <vector>

#include "lethe/data/image_file.h"

namespace lethe {

int64_t own_image_side(const ImageLists& lists) {
  constexpr size_t kSample = 50;
  constexpr size_t kLargeDataset = 20'000;
  const auto& files = lists.train;
  const size_t count = std::min(kSample, files.size());
  std::vector<int64_t> sides;
  for (size_t i = 0; i < count; ++i) {
    try {
      const auto image = read_image(files[i * files.size() / count].path);
      sides.push_back(std::min(image.size(1), image.size(2)));
    } catch (const DataError&) {
      continue;
    }
  }
  if (sides.empty()) return 64;
  const auto middle = sides.begin() + static_cast<std::ptrdiff_t>(sides.size() / 2);
  std::nth_element(sides.begin(), middle, sides.end());
  if (*middle <= 48) return 32;
  return *middle >= 224 && files.size() >= kLargeDataset ? 224 : 64;
}

Augmentation own_image_augmentation(int64_t side) {
  if (side > 64) return {.crop = Crop::kResized, .pad = 0, .flip = true, .rotation = 0};
  return {.crop = Crop::kPad, .pad = side / 8, .flip = true, .rotation = 0};
}

}  // namespace lethe
