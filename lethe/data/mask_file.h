// Masks in PNG files, read as numbers: the index of a palette or the grey level is the class id. A
// decoder for pictures would turn a palette into colours and lose them.
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

// Class ids of colours, for masks whose colours say what a pixel is.
struct ColourTable {
  std::map<Rgb, uint8_t> ids;
  std::string origin;  // the file, for messages

  bool empty() const { return ids.empty(); }
};

// Lines of "R G B class": three numbers from 0 to 255 and a name of class_names, or "void" (255).
// Several colours may mean the same class. Empty lines and lines that start with # are skipped.
// Throws DataError with file and line.
ColourTable read_colour_table(const std::filesystem::path& file,
                              const std::vector<std::string>& class_names);

// The ids as uint8 [H, W]: palette indices or grey levels of 1 to 8 bits as they stand in the file;
// with a colour table the ids of the colours, palettes included. Thread-safe. Throws
// UndecodableImage if the file is no whole PNG; DataError if it cannot be read, holds something
// else than ids (colours without a table, 16 bits, alpha), or a colour that is not in the table.
at::Tensor read_mask(const std::filesystem::path& path, const ColourTable& colours = {});

// Writes ids, uint8 [H, W], as PNG with Pascal VOC's palette; whole or not at all. Throws Error.
void write_mask(const std::filesystem::path& path, const at::Tensor& ids);

}  // namespace lethe
