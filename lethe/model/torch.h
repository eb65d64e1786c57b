// The part of LibTorch's C++ frontend that we use. It is precompiled and shared by all targets. The
// umbrella header <torch/torch.h> would double the compile time of every file, because each file
// instantiates its templates.
#pragma once

#include <torch/cuda.h>
#include <torch/nn/module.h>
#include <torch/types.h>
