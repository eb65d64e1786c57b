// Reads and writes image files (JPEG, PNG, WebP and BMP) with OpenCV.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/core/error.h"

namespace lethe {

// The file exists but cannot be decoded: data.undecodable decides what happens.
class UndecodableImage : public DataError {
 public:
  using DataError::DataError;
};

// The extensions of the images that can be read, in lower case: .jpg, .png, .jpeg, .webp, .bmp.
const std::vector<std::string>& image_suffixes();

// Whether the path has one of these extensions, in lower or upper case.
bool has_image_suffix(const std::filesystem::path& path);

// The image folder/name with one of these extensions, in lower or upper case; empty if there is
// none.
std::filesystem::path find_image(const std::filesystem::path& folder, const std::string& name);

// The image as uint8 [3, H, W] in the order red, green, blue. Grey becomes three equal channels.
// Alpha is dropped, as PIL's convert("RGB") does, so hidden pixels become visible. Of 16 bits, the
// upper 8 are kept. The EXIF orientation is applied. Thread-safe, starts no threads. Throws
// UndecodableImage if the file is truncated or not an image, DataError if it cannot be read at all;
// both name the file.
at::Tensor read_image(const std::filesystem::path& path);

// Writes uint8 [3, H, W] as PNG, atomically. Throws Error if it cannot be written.
void write_png(const std::filesystem::path& path, const at::Tensor& image);

}  // namespace lethe
