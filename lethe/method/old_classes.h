// The old classes that a term of a method protects.
#pragma once

namespace lethe {

enum class OldClasses {
  kAll,   // every old class, forgotten classes included
  kKept,  // kept classes only: the starred methods
};

}  // namespace lethe
