#include "lethe/run/pending_event.h"

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/shell.h"
#include "lethe/core/short_list.h"
#include "lethe/record/run_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string PendingEvent::resume_command(const fs::path& run) const {
  return fmt::format("lethe {} {} --resume", name_of(added.event.kind), shell_quoted(run.string()));
}

std::optional<PendingEvent> read_pending(const fs::path& run) {
  const auto file = run / kPendingFile;
  if (!fs::exists(file)) return std::nullopt;
  try {
    const auto json = ordered_json::parse(read_text(file));
    return PendingEvent{.added = to_added_event(json.at(kCommandKey)),
                        .reason = json.at("reason"),
                        .asked = json.at("asked"),
                        .event = json.at("event"),
                        .replay = json.at("replay"),
                        .accept = json.at("accept"),
                        .data = json.at(kDataKey),
                        .candidate = json.at("candidate")};
  } catch (const ordered_json::exception& error) {
    throw_error<DataError>("{}: is not a pending event written by this program: {}", file.string(),
                           error.what());
  }
}

void write_pending(const fs::path& run, const PendingEvent& pending) {
  const ordered_json json = {{kCommandKey, to_json(pending.added)},
                             {"reason", pending.reason},
                             {"asked", pending.asked},
                             {"event", pending.event},
                             {"replay", pending.replay},
                             {"accept", pending.accept},
                             {kDataKey, pending.data},
                             {"candidate", pending.candidate}};
  write_atomically(run / kPendingFile, json.dump(1) + '\n');
}

void drop_pending(const fs::path& run) {
  drop_partial(run);
  shred(candidate_folder(run));
  shred(run / kRetrainFolder);
  // At once: overwriting it first would leave a damaged file after a kill.
  fs::remove(run / kPendingFile);
}

std::string pending_text(const fs::path& run) {
  const auto pending = read_pending(run);
  if (!pending) return "";
  const auto& event = pending->added.event;
  const auto quoted = shell_quoted(run.string());
  if (!pending->candidate.is_null())
    return fmt::format(
        "the request to forget {} waits for a decision: `lethe forget {} --accept` or `lethe "
        "forget {} --discard`",
        short_list(event.classes), quoted, quoted);
  return fmt::format(
      "an event is not complete ({} {}): continue it with `{}` or drop it with `lethe {} {} "
      "--discard`",
      name_of(event.kind), short_list(event.classes), pending->resume_command(run),
      name_of(event.kind), quoted);
}

void require_nothing_pending(const fs::path& run) {
  const auto text = pending_text(run);
  if (!text.empty()) throw_error<ConfigError>("{}: {}", run.string(), text);
}

}  // namespace lethe
