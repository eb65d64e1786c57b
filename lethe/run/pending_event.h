// pending.json: an event that a command has begun. It is written before the event starts and
// removed when its line is in the ledger, so that an interrupted command can be continued.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lethe/run/stream_history.h"

namespace lethe {

struct PendingEvent {
  AddedEvent added;
  std::string reason;
  std::string asked;                      // when
  int64_t event = 0;                      // its number
  bool replay = false;                    // carry it out twice and compare
  bool accept = false;                    // even if it does not forget, or damages kept classes
  nlohmann::ordered_json data = nullptr;  // the fingerprint of --data (data_record.h)
  // Set if the event was carried out and not accepted: its figures.
  nlohmann::ordered_json candidate = nullptr;

  // The command that continues it.
  std::string resume_command(const std::filesystem::path& run) const;
};

// std::nullopt if there is none. Throws DataError if the file is damaged.
std::optional<PendingEvent> read_pending(const std::filesystem::path& run);
void write_pending(const std::filesystem::path& run, const PendingEvent& pending);
// Removes the file, the partial checkpoint, the candidate and the training of --exact.
void drop_pending(const std::filesystem::path& run);

// One line: what is pending and the commands that continue or drop it. Empty if nothing is.
std::string pending_text(const std::filesystem::path& run);

// Throws ConfigError with this line if an event is pending.
void require_nothing_pending(const std::filesystem::path& run);

}  // namespace lethe
