#include "lethe/trainer/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <sstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/safetensors.h"
#include "lethe/core/sha256.h"
#include "lethe/model/load_weights.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kModel = "model.safetensors";
constexpr const char* kMethod = "method.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kState = "state.json";
constexpr const char* kSums = "SHA256SUMS";
constexpr std::array kFiles = {kModel, kMethod, kOptimizer, kState};

// SHA256SUMS has the format of sha256sum(1), so that users can run `sha256sum -c SHA256SUMS`.
std::map<std::string, std::string> read_sums(const fs::path& folder) {
  std::istringstream lines(read_text(folder / kSums));
  std::map<std::string, std::string> sums;
  for (std::string sum, file; lines >> sum >> file;) sums[file] = sum;
  return sums;
}

// "task-02" -> 2
std::optional<int64_t> task_number(const std::string& name) {
  int task = 0;
  char end = 0;
  if (std::sscanf(name.c_str(), "task-%d%c", &task, &end) != 1) return std::nullopt;
  return task;
}

// Reads state.json and checks its format and task. Throws DataError.
json read_state(const fs::path& folder) {
  const auto path = folder / kState;
  auto state = json::parse(read_text(path), nullptr, /*allow_exceptions=*/false);
  if (!state.is_object()) throw_error<DataError>("{}: is not JSON", path.string());
  const auto format = state.find("format");
  if (format == state.end() || *format != kCheckpointFormat) {
    throw_error<DataError>("{}: format {} is not known; this program reads format {}",
                           path.string(), format == state.end() ? "(none)" : format->dump(),
                           kCheckpointFormat);
  }
  const auto task = state.find("task");
  if (task == state.end() || !task->is_number_integer())
    throw_error<DataError>("{}: 'task' is missing or not an integer", path.string());
  return state;
}

}  // namespace

fs::path task_folder(const fs::path& run, int64_t task) {
  return run / kCheckpoints / fmt::format("task-{:02}", task);
}

fs::path partial_folder(const fs::path& run) { return run / kCheckpoints / "partial"; }

std::string write_checkpoint(const fs::path& folder, const StateDict& model,
                             const StateDict& method, const StateDict& optimizer,
                             const std::function<json(const std::string&)>& finish) {
  const fs::path beside = staging_path(folder);
  try {
    fs::create_directories(beside);
    write_safetensors(beside / kModel, model);
    write_safetensors(beside / kMethod, method);
    write_safetensors(beside / kOptimizer, optimizer);
    const std::string hash = sha256_of_file(beside / kModel);
    json state = finish(hash);
    state["format"] = kCheckpointFormat;
    write_durably(beside / kState, state.dump(1) + '\n');
    std::string sums;
    for (const char* file : kFiles) {
      sums += fmt::format("{}  {}\n", file == kModel ? hash : sha256_of_file(beside / file), file);
    }
    write_durably(beside / kSums, sums);
    replace_folder(beside, folder);
    return hash;
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(beside, ignored);
    throw_error<Error>("{}: checkpoint cannot be written: {}", folder.string(),
                       error.code().message());
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(beside, ignored);
    throw;
  }
}

Checkpoint read_checkpoint(const fs::path& folder) {
  const auto sums = read_sums(folder);
  for (const char* file : kFiles) {
    const auto known = sums.find(file);
    if (known == sums.end())
      throw_error<DataError>("{}: does not list {}", (folder / kSums).string(), file);
    const std::string found = sha256_of_file(folder / file);
    if (found != known->second) {
      throw_error<DataError>("{}: SHA-256 is {}, but {} lists {}: the file was changed or damaged",
                             (folder / file).string(), found, kSums, known->second);
    }
  }
  Checkpoint checkpoint;
  checkpoint.state = read_state(folder);
  checkpoint.model = read_safetensors(folder / kModel);
  checkpoint.method = read_safetensors(folder / kMethod);
  checkpoint.optimizer = read_safetensors(folder / kOptimizer);
  return checkpoint;
}

void restore_network(Network& network, const TaskPlan& plan, int64_t task, uint64_t seed,
                     const StateDict& model, const std::string& origin) {
  for (int64_t number = 1; number <= task; ++number) {
    const auto& step = plan.task(number);
    if (step.has_images()) network.add_classes(step.new_classes.size(), seed);
  }
  network.to(network.device());
  load_state(network, model, origin);
}

std::string model_hash(const fs::path& folder) { return read_sums(folder)[kModel]; }

std::vector<int64_t> finished_tasks(const fs::path& run) {
  std::vector<int64_t> tasks;
  if (!fs::exists(run / kCheckpoints)) return tasks;
  for (const auto& entry : fs::directory_iterator(run / kCheckpoints)) {
    const std::string name = entry.path().filename();
    if (const auto task = task_number(name)) tasks.push_back(*task);
  }
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

bool has_checkpoint(const fs::path& run) {
  return !finished_tasks(run).empty() || is_recoverable(partial_folder(run));
}

std::optional<fs::path> newest_checkpoint(const fs::path& run) {
  const auto partial = partial_folder(run);
  recover_folder(partial);
  remove_staged(run / kCheckpoints, [&](const std::string& name) {
    return name == partial.filename() || task_number(name);
  });
  const auto finished = finished_tasks(run);
  if (fs::exists(partial / kState)) {
    const auto task = read_state(partial).at("task").get<int64_t>();
    if (finished.empty() || task > finished.back()) return partial;
    fs::remove_all(partial);  // killed after writing the task folder, before removing partial
  }
  if (!finished.empty()) return task_folder(run, finished.back());
  return std::nullopt;
}

}  // namespace lethe
