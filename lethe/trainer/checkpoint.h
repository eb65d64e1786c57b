// A checkpoint is a folder: model.safetensors, method.safetensors, optimizer.safetensors,
// state.json, SHA256SUMS. It is there whole or not at all. No time and no path stands inside: same
// run, same bytes.
//
//   checkpoints/task-02   after task 2; never rewritten
//   checkpoints/partial   within a task; replaced in place, gone at the task's end
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

// state.json carries it; a checkpoint of another format is refused.
inline constexpr int64_t kCheckpointFormat = 1;

// The folder of a run that holds its checkpoints.
inline constexpr const char* kCheckpoints = "checkpoints";

struct Checkpoint {
  StateDict model;
  StateDict method;
  StateDict optimizer;
  nlohmann::json state;
};

std::filesystem::path task_folder(const std::filesystem::path& run, int64_t task);
std::filesystem::path partial_folder(const std::filesystem::path& run);

// Writes beside and puts in place. finish gets the SHA-256 of model.safetensors once the tensors
// are on disk and returns the state: what it does (closing lines of logs) happens before the folder
// appears. Throws Error; an older checkpoint is then still there. Returns the SHA-256.
std::string write_checkpoint(
    const std::filesystem::path& folder, const StateDict& model, const StateDict& method,
    const StateDict& optimizer,
    const std::function<nlohmann::json(const std::string& model_hash)>& finish);

// Verifies every hash and the format. Throws DataError that names the file.
Checkpoint read_checkpoint(const std::filesystem::path& folder);

// The hash of model.safetensors as the folder's SHA256SUMS has it.
std::string model_hash(const std::filesystem::path& folder);

// Mends what a kill left behind, then: the newest whole checkpoint of a run, or nothing.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& run);

// The tasks that a run has a folder of, ascending; whether it has any checkpoint. They look only:
// they mend nothing.
std::vector<int64_t> finished_tasks(const std::filesystem::path& run);
bool has_checkpoint(const std::filesystem::path& run);

// Gives a network without heads those of the tasks up to the given one, and loads the model into
// it. origin: for messages.
void restore_network(Network& network, const TaskPlan& plan, int64_t task, uint64_t seed,
                     const StateDict& model, const std::string& origin);

}  // namespace lethe
