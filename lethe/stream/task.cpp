#include "lethe/stream/task.h"

namespace lethe {

EventKind Task::kind() const {
  if (purges()) return EventKind::kPurge;
  return learns() ? EventKind::kLearn : EventKind::kForget;
}

Task Task::without(const ClassSet& gone) const {
  Task task = *this;
  task.erased = gone;
  task.kept = kept - gone;
  task.forgotten = forgotten - gone;
  return task;
}

}  // namespace lethe
