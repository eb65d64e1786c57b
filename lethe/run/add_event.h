// `lethe forget` and `lethe learn` as functions: carry out one more event on a finished run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lethe/stream/event.h"

namespace lethe {

struct EventOptions {
  std::filesystem::path run;
  EventKind kind = EventKind::kForget;
  // kForget: the classes to forget. kLearn: the new classes; empty = all classes of data that the
  // run does not know.
  std::vector<std::string> classes;
  // Images: a configuration, a preset, the name of a dataset or a folder. Needed to learn. To
  // forget: images of kept classes; empty = none.
  std::string data;
  bool use_forgotten_images = false;  // kForget: images of the classes to forget, too
  // KEY=VALUE. Keys of [data] describe `data`; keys of [method], [train], [request] and [forget]
  // change the configuration for this event.
  std::vector<std::string> sets;
  std::optional<int64_t> epochs;
  std::optional<int64_t> steps;  // kForget without images
  std::string reason;            // for the ledger
  bool replay = false;           // carry the event out twice and compare before anything is removed
  bool resume = false;           // continue the event that was interrupted
  bool accept = false;           // accept the candidate of a request
  int threads = 1;
};

// What an event did, in accuracies on the run's test images.
struct EventFigures {
  struct Forgotten {
    std::string name;
    double before = 0, after = 0;
    std::string verdict;  // e.g. "not forgotten"
  };
  std::vector<Forgotten> forgotten;
  std::optional<double> learned;  // the mean of the new classes
  double mean_fall = 0;           // of kept classes
  double worst_fall = 0;          // the kept class that lost most; below 0 if all gained
};

struct EventResult {
  bool accepted = true;  // false: the run is as it was, and the candidate waits for a decision
  std::string text;      // for the terminal
  EventFigures figures = {};
};

// Throws ConfigError, DataError, Error, or Interrupted with the command to continue. Until the
// event is complete, the run stays as it was.
EventResult add_event(const EventOptions& options);

// Drops an event that was interrupted or not accepted. Throws ConfigError if it is of another kind.
void discard_event(const std::filesystem::path& run, EventKind kind);

// What the event would do, without doing it. Throws like add_event().
std::string dry_run(const EventOptions& options);

}  // namespace lethe
