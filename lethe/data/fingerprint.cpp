#include "lethe/data/fingerprint.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "lethe/core/sha256.h"

namespace lethe {

std::string fingerprint(const Dataset& dataset) {
  constexpr int64_t kSamples = 500;
  Sha256 sum;
  const auto add = [&](const std::string& text) { sum.add(text.data(), text.size()); };
  const auto& info = dataset.info();
  add(fmt::format("{} {} {}x{}x{}\n", info.name, dataset.size(), info.channels, info.height,
                  info.width));
  for (const auto& name : info.class_names) add(name + '\n');
  for (int64_t i = 0; i < dataset.size(); ++i) {
    for (const int64_t label : dataset.labels_of(i)) add(fmt::format("{} ", label));
  }
  const int64_t stride = std::max<int64_t>(1, dataset.size() / kSamples);
  for (int64_t i = 0; i < dataset.size(); i += stride) {
    const auto sample = dataset.get(i);
    for (const auto& part : {sample.image, sample.mask, sample.saliency}) {
      if (!part.defined()) continue;
      const auto bytes = part.contiguous();
      sum.add(bytes.data_ptr(), bytes.nbytes());
    }
  }
  return sum.hex();
}

}  // namespace lethe
