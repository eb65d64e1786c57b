// What a command asks for: `lethe forget` or `lethe learn` on a finished run.
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
  // kForget: train the stream again from the beginning, without the forgotten classes. Needs images
  // of every kept class in data.
  bool exact = false;
  std::string reason;   // for the ledger
  bool replay = false;  // carry the event out twice and compare before anything is removed
  bool resume = false;  // continue the event that was interrupted
  bool accept = false;  // accept the candidate of a request
  int threads = 1;
};

}  // namespace lethe
