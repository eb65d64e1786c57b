// Reads and writes checkpoints. A checkpoint is a folder with model.safetensors,
// method.safetensors, optimizer.safetensors, state.json and SHA256SUMS. It is written atomically.
// It contains no times and no paths, so the same run gives the same bytes.
//
//   checkpoints/task-02   after task 2; never rewritten
//   checkpoints/partial   within a task; overwritten each time, removed at the end of the task
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
inline constexpr int64_t kCheckpointFormat = 1;

// The folder of a run directory that contains its checkpoints.
inline constexpr const char* kCheckpoints = "checkpoints";

struct Checkpoint {
  StateDict model;
  StateDict method;
  StateDict optimizer;
  nlohmann::json state;
};

std::filesystem::path task_folder(const std::filesystem::path& run, int64_t task);
std::filesystem::path partial_folder(const std::filesystem::path& run);

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

// The hash of model.safetensors listed in the folder's SHA256SUMS.
std::string model_hash(const std::filesystem::path& folder);

// Cleans up after a killed run, then returns its newest complete checkpoint; std::nullopt if there
// is none.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& run);

// The tasks that have a checkpoint, ascending, and whether the run has any checkpoint. Both only
// read: they do not clean up after a killed run.
std::vector<int64_t> finished_tasks(const std::filesystem::path& run);
bool has_checkpoint(const std::filesystem::path& run);

// Adds the heads of all tasks up to the given one to a network without heads, then loads the model.
// origin is used in messages.
void restore_network(Network& network, const TaskPlan& plan, int64_t task, uint64_t seed,
                     const StateDict& model, const std::string& origin);

}  // namespace lethe
