// The orientation that EXIF asks for in a WebP file. OpenCV applies that of JPEG and PNG by itself,
// but not this one.
#pragma once

#include <string_view>

namespace lethe {

// 1 to 8 as EXIF counts them; 1, as it is, for any other file or if nothing is said.
int webp_orientation(std::string_view bytes);

}  // namespace lethe
