// Finds truncated and damaged image files by their structure, before decoding. Decoders fill
// missing data with grey (JPEG) or write their own messages to stderr (PNG, BMP).
#pragma once

#include <string>
#include <string_view>

namespace lethe {

// "the JPEG is cut off", "the PNG is damaged", ...; empty if no problem is found or if the file is
// not JPEG, PNG, WebP or BMP.
std::string image_flaw(std::string_view bytes);

}  // namespace lethe
