// The part of LibTorch's front end that we use. It is precompiled and shared by all targets; the
// umbrella <torch/torch.h> would make every file twice as slow to compile, because each one
// instantiates what the headers mention.
#pragma once

#include <torch/cuda.h>
#include <torch/nn/module.h>
#include <torch/types.h>
