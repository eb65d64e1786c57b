// What is wrong with the frame of an image file, before anyone decodes it. Decoders fill what is
// missing with grey (JPEG) or write lines of their own to stderr (PNG, BMP); here a file that is
// cut off is found by its structure alone.
#pragma once

#include <string>
#include <string_view>

namespace lethe {

// "the JPEG is cut off", "the PNG is damaged", ...; empty if nothing is wrong with the frame or if
// it is none of JPEG, PNG, WebP, BMP.
std::string image_flaw(std::string_view bytes);

}  // namespace lethe
