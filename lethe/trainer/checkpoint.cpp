#include "lethe/trainer/checkpoint.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>
#include <sstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/safetensors.h"
#include "lethe/core/sha256.h"

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

// The format of sha256sum(1): a user can run `sha256sum -c SHA256SUMS`.
std::map<std::string, std::string> read_sums(const fs::path& folder) {
  std::istringstream lines(read_text(folder / kSums));
  std::map<std::string, std::string> sums;
  for (std::string sum, file; lines >> sum >> file;) sums[file] = sum;
  return sums;
}

}  // namespace

fs::path task_folder(const fs::path& run, int64_t task) {
  return run / "checkpoints" / fmt::format("task-{:02}", task);
}

fs::path partial_folder(const fs::path& run) { return run / "checkpoints" / "partial"; }

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
      throw_error<DataError>("{}: SHA-256 is {}, {} says {}: the file was changed or damaged",
                             (folder / file).string(), found, kSums, known->second);
    }
  }
  Checkpoint checkpoint;
  checkpoint.state = json::parse(read_text(folder / kState), nullptr, /*allow_exceptions=*/false);
  if (!checkpoint.state.is_object())
    throw_error<DataError>("{}: is not JSON", (folder / kState).string());
  const auto format = checkpoint.state.value("format", int64_t{0});
  if (format != kCheckpointFormat) {
    throw_error<DataError>("{}: format {} is not known; this program reads format {}",
                           (folder / kState).string(), format, kCheckpointFormat);
  }
  checkpoint.model = read_safetensors(folder / kModel);
  checkpoint.method = read_safetensors(folder / kMethod);
  checkpoint.optimizer = read_safetensors(folder / kOptimizer);
  return checkpoint;
}

std::string model_hash(const fs::path& folder) { return read_sums(folder)[kModel]; }

std::optional<int64_t> last_finished_task(const fs::path& run) {
  std::optional<int64_t> last;
  if (!fs::exists(run / "checkpoints")) return last;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints")) {
    int task = 0;
    char end = 0;
    const std::string name = entry.path().filename();
    if (std::sscanf(name.c_str(), "task-%d%c", &task, &end) == 1 && (!last || task > *last))
      last = task;
  }
  return last;
}

std::optional<fs::path> newest_checkpoint(const fs::path& run) {
  recover_folder(partial_folder(run));
  remove_staged(run / "checkpoints");
  const auto last = last_finished_task(run);
  if (fs::exists(partial_folder(run) / kState)) {
    const auto state = json::parse(read_text(partial_folder(run) / kState), nullptr, false);
    const auto task = state.is_object() ? state.value("task", int64_t{0}) : 0;
    if (!last || task > *last) return partial_folder(run);
    fs::remove_all(partial_folder(run));  // killed between the task's folder and this removal
  }
  if (last) return task_folder(run, *last);
  return std::nullopt;
}

}  // namespace lethe
