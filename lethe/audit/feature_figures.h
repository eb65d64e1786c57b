// The figures of one model's features: how well a linear probe, nearest neighbours and a few images
// find a class. Computed from the features alone, which were made once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lethe/audit/rows.h"
#include "lethe/metrics/bootstrap.h"
#include "lethe/metrics/linear_probe.h"
#include "lethe/metrics/neighbours.h"

namespace lethe {

// The classes of the rows that probes learn from (fit) and of those that they are tested on.
struct Truth {
  at::Tensor fit;   // int64 [N]
  at::Tensor test;  // int64 [M]

  // Whether the class has enough rows to be measured.
  bool has(ClassId id) const;
};

// The features of one stage, of the rows of fit and of test.
class StageFigures {
 public:
  // Must not outlive truth.
  StageFigures(const Truth& truth, at::Tensor fit, at::Tensor test);
  ~StageFigures();
  StageFigures(StageFigures&&) noexcept;

  // Balanced accuracy: the class against the rest.
  Figure probe(ClassId id);
  Figure neighbours(ClassId id);
  // Accuracy on the rows of the class, among the rivals, from so many rows of each.
  Figure shots(ClassId id, const ClassSet& rivals, int64_t count, uint64_t seed);

 private:
  Figure balanced(ClassId id, const at::Tensor& found) const;

  const Truth& truth_;
  at::Tensor fit_, test_;
  std::unique_ptr<LinearProbe> probe_;
  std::unique_ptr<Neighbours> neighbours_;
};

// The accuracy on the rows of a class. hits bool or double [M], one for each test row.
Figure accuracy_figure(const Truth& truth, ClassId id, const at::Tensor& hits);

}  // namespace lethe
