#include "lethe/stream/task.h"

namespace lethe {

Task Task::without(const ClassSet& gone) const {
  Task task = *this;
  task.erased = gone;
  task.kept = kept - gone;
  task.forgotten = forgotten - gone;
  return task;
}

}  // namespace lethe
