// Reads and writes checkpoints. A checkpoint is a folder with model.safetensors,
// method.safetensors, optimizer.safetensors, state.json and SHA256SUMS. It is written atomically.
// It contains no times and no paths, so the same run gives the same bytes.
//
//   versions/002-forget   the version of the model after event 2; never rewritten
//   versions/002-forget.new   the same before the event is complete
//   versions/candidate    the result of a request that was not accepted
//   versions/partial      within an event; overwritten each time, removed at the end of the event
//
// optimizer.safetensors is empty in a version: every event starts with a new optimiser, and its
// momentum could keep traces of forgotten classes.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/state_dict.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

// Version in state.json; a checkpoint with another version is an error.
inline constexpr int64_t kCheckpointFormat = 2;

// The folder of a run directory that contains its versions and the partial checkpoint.
inline constexpr const char* kVersions = "versions";

struct Checkpoint {
  StateDict model;
  StateDict method;
  StateDict optimizer;
  nlohmann::json state;
};

// The folder of the version that the event writes.
std::filesystem::path version_folder(const std::filesystem::path& run, int64_t event,
                                     EventKind kind);
// Where a version is written before its event is complete.
std::filesystem::path new_folder(const std::filesystem::path& version);
// The versions of events that were not completed: folders named by new_folder().
std::vector<std::filesystem::path> new_folders(const std::filesystem::path& run);
// The folder of an existing version. Throws DataError if there is none.
std::filesystem::path version_of(const std::filesystem::path& run, int64_t event);
std::filesystem::path partial_folder(const std::filesystem::path& run);
// Overwrites and removes the partial checkpoint, if there is one. It is renamed first: after a kill
// it is either complete or gone.
void drop_partial(const std::filesystem::path& run);
// The scratch folder for carrying out an event a second time.
std::filesystem::path replay_folder(const std::filesystem::path& run);
// The model of a request that was not accepted.
std::filesystem::path candidate_folder(const std::filesystem::path& run);

// Writes to a temporary folder and then moves it into place. Once the tensors are on disk, finish
// is called with the SHA-256 of model.safetensors and returns the state; anything it writes (last
// lines of logs) is written before the folder appears. If writing fails, throws Error and keeps an
// older checkpoint. Returns the SHA-256.
std::string write_checkpoint(
    const std::filesystem::path& folder, const StateDict& model, const StateDict& method,
    const StateDict& optimizer,
    const std::function<nlohmann::json(const std::string& model_hash)>& finish);

// Verifies every hash and the format. Throws DataError naming the file.
Checkpoint read_checkpoint(const std::filesystem::path& folder);

// The file of a checkpoint that lists the SHA-256 of the others.
inline constexpr const char* kSums = "SHA256SUMS";

// Checks the hash of every file of a checkpoint. Throws DataError naming the file.
void check_sums(const std::filesystem::path& folder);

// The hash of model.safetensors listed in the folder's SHA256SUMS.
std::string model_hash(const std::filesystem::path& folder);

// Cleans up after a killed run, then returns its newest complete checkpoint; std::nullopt if there
// is none.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& run);

// The events that have a version, ascending, and whether the run has any checkpoint. Both only
// read: they do not clean up after a killed run.
std::vector<int64_t> versions_of(const std::filesystem::path& run);
bool has_checkpoint(const std::filesystem::path& run);

// The classes that were erased from the model of a checkpoint.
ClassSet erased_in(const Checkpoint& checkpoint);

// Adds the heads of all tasks up to the given one to a network without heads, then loads the model
// and masks its erased classes. origin is used in messages.
void restore_network(Network& network, const TaskPlan& plan, int64_t task, uint64_t seed,
                     const Checkpoint& checkpoint, const std::string& origin);

}  // namespace lethe
