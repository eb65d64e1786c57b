// Mixed precision on CUDA: while an Autocast(true) lives, LibTorch computes convolutions and matrix
// products in half precision. The calls behind it changed between LibTorch's versions; only
// autocast.cpp knows.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// Switches it for this thread and back at the end of its life. They nest.
class Autocast {
 public:
  explicit Autocast(bool on);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool changed_;
  bool before_;
};

// Whether it is on in this thread.
bool autocast_enabled();

// A tensor of half precision as float32, any other as it is.
at::Tensor full_precision(const at::Tensor& tensor);

}  // namespace lethe
