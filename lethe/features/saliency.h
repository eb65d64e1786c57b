// Where an image draws the eye, without a trained model: the spectral residual (Hou and Zhang, CVPR
// 2007). Written here because OpenCV's is in a module that Debian's packages leave out, and because
// it must run where the batch is.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// images: float [B, C, H, W], normalised or not. Returns bool [B, H, W]: what stands out more than
// the mean of its image.
at::Tensor salient_pixels(const at::Tensor& images);

}  // namespace lethe
