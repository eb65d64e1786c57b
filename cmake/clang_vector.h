// Lets clang compile the headers of LibTorch before 2.1 as C++20. `make clang` and scripts/lint.sh
// include it before everything else.
//
// Those headers use std::vector<c10::IValue> while IValue is still incomplete. In C++20 the members
// of std::vector are constexpr. clang instantiates constexpr functions immediately and fails; gcc
// waits and accepts the code. This header includes std::vector of libstdc++ without constexpr.
// Nothing else changes, and newer versions of LibTorch do not need it.
#pragma once

#if defined(__clang__) && __has_include(<torch/version.h>) && __has_include(<bits/c++config.h>)
#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 1)
// The order of the includes matters: do not sort them.
// clang-format off
// NOLINTBEGIN(readability-identifier-naming): the macros have the names that libstdc++ uses.

// This header declares a constexpr function for the iterator of vector<bool>. It must not conflict
// with the definition in <vector>.
#define _Bit_iterator _Bit_iterator_of_nobody
#include <bits/stl_algobase.h>
#undef _Bit_iterator

#include <string>  // first the headers that <vector> shares with others, with constexpr

#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#include <vector>
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")

// NOLINTEND(readability-identifier-naming)
// clang-format on
#endif
#endif
