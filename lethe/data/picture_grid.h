// Pictures in named rows, drawn as one picture; used for contact sheets and prediction sheets.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lethe/data/mask_colours.h"

namespace lethe {

struct PictureGrid {
  struct Row {
    std::string name;
    std::vector<at::Tensor> pictures;  // uint8 [3, H, W], all of one size
  };
  // The meaning of a colour.
  struct Key {
    std::string name;
    Rgb colour;
  };
  std::string title;
  std::vector<std::string> columns = {};  // a name above each column; empty = none
  std::vector<Row> rows;
  std::vector<Key> legend = {};  // below the rows
  int64_t side = 112;  // approximate size of a picture; small ones get an integer scale factor
};

// uint8 [3, H, W]. Throws Error if there is no picture.
at::Tensor draw(const PictureGrid& grid);

}  // namespace lethe
