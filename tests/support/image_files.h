// For tests: writes small image files.
#pragma once

#include <ATen/ATen.h>

#include <filesystem>
#include <string>

#include "lethe/data/dataset.h"
#include "lethe/data/image_file.h"
#include "tests/support/data_files.h"

namespace lethe {

// Writes an image of one colour, height x width. It is a PNG whatever its extension: decoders look
// at the content.
inline void write_flat(const std::filesystem::path& path, int value, int64_t height = 6,
                       int64_t width = 8) {
  std::filesystem::create_directories(path.parent_path());
  write_png(path, at::full({3, height, width}, value, at::kByte));
}

// Writes an image of noise that depends only on seed.
inline void write_noise(const std::filesystem::path& path, int64_t seed, int64_t height,
                        int64_t width) {
  std::filesystem::create_directories(path.parent_path());
  const auto place = at::arange(3 * height * width, at::kLong) + seed * 7919;
  write_png(path,
            ((place * place * 31 + place * 17) % 251).to(at::kByte).reshape({3, height, width}));
}

inline Bytes to_bytes(const std::string& text) { return {text.begin(), text.end()}; }

// The grey level of a flat image.
inline int level(const Sample& sample) { return sample.image[0][0][0].item<int>(); }

}  // namespace lethe
