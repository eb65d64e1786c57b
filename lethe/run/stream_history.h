// The stream of an existing run, as its ledger has it: the classes of the dataset when the run
// began, and the events that commands added later. A run is opened again with these, not with the
// classes that its dataset has now: images of past tasks and of forgotten classes may be gone.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lethe/data/options.h"
#include "lethe/record/ledger.h"
#include "lethe/stream/event.h"

namespace lethe {

// An event that a command added, and the images that it used.
struct AddedEvent {
  LaterEvent event;
  std::string data;                    // the resolved [data] section as TOML; empty = no images
  std::vector<std::string> sets = {};  // KEY=VALUE: changes of the configuration for this event
  bool is_gone = false;  // all classes that it learned were erased later; its images may be gone
};
// The options of its data, which must not be empty.
DataOptions data_options(const AddedEvent& added);
nlohmann::ordered_json to_json(const AddedEvent& added);
AddedEvent to_added_event(const nlohmann::ordered_json& json);

// The key of a ledger line that contains an AddedEvent.
inline constexpr const char* kCommandKey = "command";

struct StreamHistory {
  std::vector<std::string>
      class_names;  // of the dataset, by label; empty = as the dataset has them
  std::vector<AddedEvent> added;
  bool last_is_new = false;  // the last event is to be carried out: its sets apply

  // The class names with those that later events brought.
  std::vector<std::string> all_names() const;
};

StreamHistory read_history(const Ledger& ledger);

}  // namespace lethe
