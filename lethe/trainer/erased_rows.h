// Marks of the rows that belong to a class: its rows in the classifier and in the state of the
// method. `lethe verify` searches the files of a run for them after the class was erased.
#pragma once

#include <vector>

#include "lethe/core/byte_mark.h"
#include "lethe/core/class_set.h"
#include "lethe/core/state_dict.h"
#include "lethe/model/network.h"

namespace lethe {

// Rows of the classifier in a model (named_state() or a version; an older version may have fewer
// rows). Zero rows and rows of a few bytes have no mark: they could be anything.
std::vector<ByteMark> classifier_marks(const StateDict& model,
                                       const std::vector<ClassEntry>& entries, ClassId id);

// Rows of the state of a method that became zero or are gone: row `id` of each tensor that had
// another value before the purge.
std::vector<ByteMark> state_marks(const StateDict& before, const StateDict& after, ClassId id);

}  // namespace lethe
