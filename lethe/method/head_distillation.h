// Distillation over all old heads of a step (specification 5.5): kept classes stay close to the
// scores of a teacher, and the scores of forgotten classes are pulled to one low score. Erased
// classes are in no softmax.
#pragma once

#include "lethe/method/step.h"

namespace lethe {

struct HeadDistillationOptions {
  double temperature = 2.0;
  bool keeps = true;             // the term of the teacher's scores
  bool keeps_forgotten = false;  // its softmax covers forgotten classes as well
  bool lowers = false;           // the term of forgotten classes
  double low_score = -0.3;       // target of forgotten classes; at most 1/K for K classes of a head
};

// Sums over heads and inputs; undefined as long as there is nothing to sum.
struct HeadDistillation {
  at::Tensor kept;
  at::Tensor forgotten;
};

// student and teacher: logits [B, K] over all classes. Adds the terms of every old head.
void add_head_distillation(const Step& step, const at::Tensor& student, const at::Tensor& teacher,
                           const HeadDistillationOptions& options, HeadDistillation& sums);

}  // namespace lethe
