// The contents of matrix.csv and per_class.csv.
#pragma once

#include <string>

#include "lethe/metrics/scores.h"

namespace lethe {

std::string matrix_csv(const ScoreTable& table, const TaskPlan& plan);
std::string per_class_csv(const ScoreTable& table, const TaskPlan& plan);

}  // namespace lethe
