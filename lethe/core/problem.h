// The kind of problem that a run solves. Data, plan, network, methods and metrics all ask this
// type.
#pragma once

namespace lethe {

enum class Problem {
  kImages,  // classification: a label per image, one head per task (specification 1.2)
  kMasks,   // segmentation: a label per pixel, one space for all classes with background as class 0
            // (specification 1.3)
};

// "classification" or "segmentation".
constexpr const char* name_of(Problem problem) {
  return problem == Problem::kImages ? "classification" : "segmentation";
}

}  // namespace lethe
