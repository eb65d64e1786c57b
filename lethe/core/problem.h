// The kind of problem that a run solves: classification or segmentation.
#pragma once

namespace lethe {

enum class Problem {
  kImages,  // classification: one label per image, one head per task (specification 1.2)
  kMasks,   // segmentation: one label per pixel, one head, background = 0 (specification 1.3)
};

// "classification" or "segmentation".
constexpr const char* name_of(Problem problem) {
  return problem == Problem::kImages ? "classification" : "segmentation";
}

}  // namespace lethe
