// What training cost, from metrics.jsonl: its lines of steps survive interruptions, while the
// seconds in the ledger count from the last start of an event.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

namespace lethe {

struct TrainingCost {
  double seconds = 0;  // in training steps, without evaluations
  int64_t images = 0;  // as often as they were shown

  TrainingCost& operator+=(const TrainingCost& other);
};

// The cost of every event, by number. Also of a run that is being trained: an incomplete last line
// is left out. Empty if there is no file. Throws DataError with file and line.
std::map<int64_t, TrainingCost> training_costs(const std::filesystem::path& metrics_file);

// What an event would cost with another number of training images, in proportion.
TrainingCost expected_cost(const TrainingCost& was, int64_t images_then, int64_t images_now);

// The sum of the costs of events 1 ... last.
TrainingCost cost_until(const std::map<int64_t, TrainingCost>& costs, int64_t last);

}  // namespace lethe
