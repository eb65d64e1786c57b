// What every translation unit shares. Files still include what they use: the sanitizer build has
// pch_small.h instead.
#pragma once
#include "cmake/pch_small.h"
#include "lethe/model/torch.h"
