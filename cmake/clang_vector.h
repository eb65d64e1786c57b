// Lets clang compile the headers of LibTorch before 2.1 as C++20. `make clang` and scripts/lint.sh
// include it ahead of everything else.
//
// Those headers use std::vector<c10::IValue> where IValue is still incomplete. C++20 makes the
// members of std::vector constexpr; clang instantiates constexpr functions at once and stops, gcc
// waits and accepts it. Here the std::vector of libstdc++ is read once without constexpr. Nothing
// else changes, and newer versions of LibTorch do not need it.
#pragma once

#if defined(__clang__) && __has_include(<torch/version.h>) && __has_include(<bits/c++config.h>)
#include <torch/version.h>

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 1)
// The order is the point: no sorting here.
// clang-format off

// It declares a constexpr function for the iterator of vector<bool>, which must not clash with the
// definition in <vector>.
#define _Bit_iterator _Bit_iterator_of_nobody
#include <bits/stl_algobase.h>
#undef _Bit_iterator

#include <string>  // brings what <vector> shares with others, with constexpr as it should be

#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#include <vector>
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")

// clang-format on
#endif
#endif
