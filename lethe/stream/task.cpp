#include "lethe/stream/task.h"

namespace lethe {

EventKind Task::kind() const {
  if (purges()) return EventKind::kPurge;
  return learns() ? EventKind::kLearn : EventKind::kForget;
}

std::vector<int64_t> Task::new_heads() const {
  if (!heads.empty() || !learns()) return heads;
  return {new_classes.size()};
}

Task Task::without(const ClassSet& gone) const {
  Task task = *this;
  task.erased = gone | absent;
  task.kept = kept - gone;
  task.forgotten = forgotten - gone;
  return task;
}

}  // namespace lethe
