// Saliency without a trained model: the spectral residual (Hou and Zhang, CVPR 2007). OpenCV has it
// in a module that is not in Debian's packages, and here it must run on the device of the batch.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// images: float [B, C, H, W], normalised or not. Returns bool [B, H, W]: pixels that are more
// salient than the mean of their image.
at::Tensor salient_pixels(const at::Tensor& images);

}  // namespace lethe
