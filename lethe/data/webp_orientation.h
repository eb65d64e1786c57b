// The EXIF orientation of a WebP file. OpenCV applies the orientation of JPEG and PNG, but not of
// WebP.
#pragma once

#include <string_view>

namespace lethe {

// An EXIF orientation from 1 to 8; 1 (unchanged) for other files and for files without one.
int webp_orientation(std::string_view bytes);

}  // namespace lethe
