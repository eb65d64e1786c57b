// The precompiled header of all translation units. Files must still include every header they use:
// the sanitizer builds use pch_small.h instead.
#pragma once
#include "cmake/pch_small.h"
#include "lethe/model/torch.h"
