// Pictures in rows with names, as one picture: the form of contact sheets and prediction sheets.
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
  // What a colour stands for.
  struct Key {
    std::string name;
    Rgb colour;
  };
  std::string title;
  std::vector<std::string> columns = {};  // a name over each; empty = none
  std::vector<Row> rows;
  std::vector<Key> legend = {};  // below the rows
  int64_t side = 112;            // of a picture, about; small ones are enlarged whole-numbered
};

// uint8 [3, H, W]. Throws Error if there is no picture.
at::Tensor draw(const PictureGrid& grid);

}  // namespace lethe
