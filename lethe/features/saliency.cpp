#include "lethe/features/saliency.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

// The size at which the spectrum is computed: objects are salient, texture is not.
constexpr int64_t kSide = 64;

// Mean over 3 x 3 neighbours: the smooth part of the spectrum.
at::Tensor smoothed(const at::Tensor& maps) {
  return at::avg_pool2d(at::replication_pad2d(maps.unsqueeze(1), {1, 1, 1, 1}), {3, 3}, {1, 1})
      .squeeze(1);
}

at::Tensor blurred(const at::Tensor& maps, double sigma) {
  constexpr int64_t kReach = 4;
  const auto x = at::arange(-kReach, kReach + 1, maps.options());
  auto kernel = (-x.square() / (2 * sigma * sigma)).exp();
  kernel = kernel / kernel.sum();
  const auto padded = at::replication_pad2d(maps.unsqueeze(1), {kReach, kReach, kReach, kReach});
  const auto across = at::conv2d(padded, kernel.reshape({1, 1, 1, -1}));
  return at::conv2d(across, kernel.reshape({1, 1, -1, 1})).squeeze(1);
}

}  // namespace

at::Tensor salient_pixels(const at::Tensor& images) {
  require_shape("images", images, {kAnySize, kAnySize, kAnySize, kAnySize});
  const at::NoGradGuard no_grad;
  const int64_t height = images.size(2);
  const int64_t width = images.size(3);
  const auto grey = images.mean(1, /*keepdim=*/true).to(at::kFloat);
  const std::vector<int64_t> side = {std::min(kSide, height), std::min(kSide, width)};
  const auto small = at::adaptive_avg_pool2d(grey, side).squeeze(1);

  const auto spectrum = at::fft_fft2(small);
  const auto amplitude = spectrum.abs().clamp_min(1e-8);
  const auto log_amplitude = amplitude.log();
  const auto residual = log_amplitude - smoothed(log_amplitude);
  // exp(residual) with the phase of the spectrum.
  const auto map = at::fft_ifft2(spectrum / amplitude * residual.exp()).abs().square();

  const auto saliency =
      at::upsample_bilinear2d(blurred(map, 2.5).unsqueeze(1), {height, width}, false).squeeze(1);
  return saliency > saliency.mean({1, 2}, /*keepdim=*/true);
}

}  // namespace lethe
