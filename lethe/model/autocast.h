// Mixed precision on CUDA. While an Autocast(true) exists, LibTorch runs convolutions and matrix
// products in half precision. The LibTorch API for this differs between versions; only autocast.cpp
// depends on it.
#pragma once

#include <ATen/core/Tensor.h>

namespace lethe {

// Switches mixed precision on or off for this thread. The destructor restores the previous state.
// Objects can be nested.
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

// Whether mixed precision is on in this thread.
bool autocast_enabled();

// Converts a half-precision tensor to float32; returns any other tensor unchanged.
at::Tensor full_precision(const at::Tensor& tensor);

}  // namespace lethe
