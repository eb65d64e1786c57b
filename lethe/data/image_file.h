// Image files: JPEG, PNG, WebP and BMP, read and written by OpenCV.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "lethe/core/error.h"

namespace lethe {

// The file is there, but it is no image that can be decoded: what data.undecodable decides about.
class UndecodableImage : public DataError {
 public:
  using DataError::DataError;
};

// Whether the name ends like an image that is read: .jpg, .jpeg, .png, .webp, .bmp in any case.
bool has_image_suffix(const std::filesystem::path& path);

// The image as uint8 [3, H, W], red, green, blue. Grey becomes three equal channels, alpha is
// dropped (as PIL's convert("RGB") does: what lies under it stays visible), 16 bits lose their
// lower 8, and an orientation that EXIF asks for is applied. Thread-safe, starts no threads.
// Throws UndecodableImage if it is cut off or no image, DataError if it cannot be read at all; both
// name the file.
at::Tensor read_image(const std::filesystem::path& path);

// Writes uint8 [3, H, W] as PNG; whole or not at all. Throws Error if it cannot be written.
void write_png(const std::filesystem::path& path, const at::Tensor& image);

}  // namespace lethe
