// Reads and writes masks as PNG files. The palette index or the grey level is the class id; an
// image decoder would convert palette indices to colours and lose the ids.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lethe/data/image_file.h"
#include "lethe/data/mask_colours.h"

namespace lethe {

// Maps colours to class ids, for masks that encode classes as colours.
struct ColourTable {
  std::map<Rgb, uint8_t> ids;
  std::string origin;  // the file, for messages

  bool empty() const { return ids.empty(); }
};

// Reads lines of "R G B class": three numbers from 0 to 255 and a name of class_names, or "void"
// (255). Several colours may have the same class. Empty lines and lines that start with # are
// skipped. Throws DataError with file and line.
ColourTable read_colour_table(const std::filesystem::path& file,
                              const std::vector<std::string>& class_names);

// The ids as uint8 [H, W]: the palette indices or grey levels (1 to 8 bits) in the file. With a
// colour table: the ids of the colours, including the colours of a palette. Thread-safe. Throws
// UndecodableImage if the file is not a complete PNG. Throws DataError if it cannot be read, does
// not contain ids (colours without a table, 16 bits, alpha), or has a colour that is not in the
// table.
at::Tensor read_mask(const std::filesystem::path& path, const ColourTable& colours = {});

// Writes ids, uint8 [H, W], as PNG with the palette of Pascal VOC, atomically. Throws Error.
void write_mask(const std::filesystem::path& path, const at::Tensor& ids);

}  // namespace lethe
