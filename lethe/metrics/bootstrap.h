// Bootstrap intervals for the excess of a figure: how much larger it is for a model than for the
// oracles, models that never saw the class.
//
// A figure is a weighted sum of hit rates: an accuracy has one group of rows, a balanced accuracy
// two. Test images are drawn again with replacement, the same ones for the model and the oracles.
// Images are drawn within their class. In segmentation an image has many rows (pixels), which
// belong together, so whole images are drawn.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace lethe {

struct Figure {
  struct Group {
    at::Tensor rows;  // int64 [n]: which test rows
    at::Tensor hits;  // double [n]: 1 = hit, 0 = miss, or between
    double factor = 1;
  };
  std::vector<Group> groups;

  double value() const;  // NaN if a group is empty
};

// The mean over figures.
Figure mean_of(const std::vector<Figure>& figures);

class Resampling {
 public:
  // unit_of_row int64 [N]: the unit (image) of every test row. stratum_of_unit int64 [U]: units are
  // drawn within their stratum, as many as there are.
  Resampling(const at::Tensor& unit_of_row, const at::Tensor& stratum_of_unit, int64_t draws,
             uint64_t seed);

  int64_t draws() const { return times_.size(0); }
  int64_t units() const { return times_.size(1); }
  // The figure in every draw: double [draws]. A draw without rows of a group gives NaN.
  at::Tensor values(const Figure& figure) const;

 private:
  at::Tensor unit_of_row_;
  at::Tensor times_;  // uint8 [draws, U]: how often a unit was drawn
};

struct Excess {
  double model = 0, reference = 0;  // the figure of the model, and its mean over the oracles
  double value = 0;                 // their difference
  // Lower and upper ends of the one-sided 95 % intervals of the value.
  double low = 0, high = 0;
  // Parts of the standard error of the value: from the images, and from the choice of the oracles.
  double image_error = 0;
  std::optional<double> oracle_error;  // not set with one oracle: its spread is not known
  int64_t images = 0;                  // rows of the smallest group
  int64_t oracles = 0;
};

// At least one oracle. sign -1: the excess of the oracles over the model, for figures that must not
// fall.
Excess excess_over(const Figure& model, const std::vector<Figure>& oracles,
                   const Resampling& resampling, uint64_t seed, int sign = 1);

// The excess with the draws of the model and of every oracle at hand: for figures that are not
// weighted sums of hit rates. All double [draws].
struct Draws {
  double value = 0;
  at::Tensor values;
};
Excess excess_of(const Draws& model, const std::vector<Draws>& oracles, uint64_t seed,
                 int sign = 1);

// The value below which a fraction of the values lies; NaN values are left out.
double quantile(const at::Tensor& values, double fraction);

}  // namespace lethe
