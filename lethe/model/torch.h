// The part of LibTorch's front end that we use. It is precompiled and shared by all targets; the
// umbrella <torch/torch.h> would make every file three times as slow to compile (each one
// instantiates what the headers mention).
#pragma once

#include <torch/cuda.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/types.h>
#include <torch/utils.h>
