// Reads and writes image files (JPEG, PNG, WebP and BMP) with OpenCV.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "lethe/core/error.h"

namespace lethe {

// The file exists, but is not an image that can be decoded; data.undecodable selects how to handle
// it.
class UndecodableImage : public DataError {
 public:
  using DataError::DataError;
};

// Whether the file has the extension of a supported image format: .jpg, .jpeg, .png, .webp, .bmp,
// in upper or lower case.
bool has_image_suffix(const std::filesystem::path& path);

// The image as uint8 [3, H, W] in the order red, green, blue. Grey becomes three equal channels.
// Alpha is dropped, as in PIL's convert("RGB"): pixels under it stay visible. 16-bit values lose
// their lower 8 bits. The EXIF orientation is applied. Thread-safe; starts no threads. Throws
// UndecodableImage if the file is truncated or not an image, DataError if it cannot be read at all.
// Both messages name the file.
at::Tensor read_image(const std::filesystem::path& path);

// Writes uint8 [3, H, W] as PNG, atomically. Throws Error if it cannot be written.
void write_png(const std::filesystem::path& path, const at::Tensor& image);

}  // namespace lethe
