#include "lethe/model/channels_last.h"

#include <ATen/ATen.h>

namespace lethe {

at::Tensor to_channels_last(const at::Tensor& map) {
  constexpr auto kFormat = at::MemoryFormat::ChannelsLast;
  if (map.dim() != 4 || map.suggest_memory_format() == kFormat) return map;
  // clone() instead of contiguous(): for an image with one channel, contiguous() may keep strides
  // that LibTorch interprets as the other layout.
  return map.clone(kFormat);
}

void use_channels_last(torch::nn::Module& module) {
  for (auto& parameter : module.parameters()) {
    if (parameter.dim() == 4) parameter.set_data(to_channels_last(parameter.detach()));
  }
}

}  // namespace lethe
