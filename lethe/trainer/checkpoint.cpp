#include "lethe/trainer/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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
constexpr const char* kNew = ".new";
constexpr std::array kFiles = {kModel, kMethod, kOptimizer, kState};

// SHA256SUMS has the format of sha256sum(1), so that users can run `sha256sum -c SHA256SUMS`.
std::map<std::string, std::string> read_sums(const fs::path& folder) {
  std::istringstream lines(read_text(folder / kSums));
  std::map<std::string, std::string> sums;
  for (std::string sum, file; lines >> sum >> file;) sums[file] = sum;
  return sums;
}

// "002-forget" -> 2
std::optional<int64_t> event_number(const std::string& name) {
  const auto dash = name.find('-');
  if (dash == std::string::npos || dash < 3) return std::nullopt;
  for (const auto kind : kEventKinds) {
    if (name.substr(dash + 1) != name_of(kind)) continue;
    if (name.find_first_not_of("0123456789") == dash) return std::stoll(name);
  }
  return std::nullopt;
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

fs::path version_folder(const fs::path& run, int64_t event, EventKind kind) {
  return run / kVersions / fmt::format("{:03}-{}", event, name_of(kind));
}

fs::path new_folder(const fs::path& version) { return version.string() + kNew; }

std::vector<fs::path> new_folders(const fs::path& run) {
  std::vector<fs::path> found;
  if (!fs::exists(run / kVersions)) return found;
  for (const auto& entry : fs::directory_iterator(run / kVersions)) {
    const auto& path = entry.path();
    if (path.extension() == kNew && event_number(path.stem())) found.push_back(path);
  }
  return found;
}

fs::path version_of(const fs::path& run, int64_t event) {
  for (const auto kind : kEventKinds) {
    auto folder = version_folder(run, event, kind);
    if (fs::exists(folder)) return folder;
  }
  const auto known = versions_of(run);
  if (known.empty()) throw_error<DataError>("{}: no event is finished yet", run.string());
  throw_error<DataError>("{}: has no version {}; available: {}", run.string(), event,
                         fmt::join(known, ", "));
}

fs::path replay_folder(const fs::path& run) { return run / kVersions / "replay"; }

fs::path candidate_folder(const fs::path& run) { return run / kVersions / "candidate"; }

fs::path partial_folder(const fs::path& run) { return run / kVersions / "partial"; }

void drop_partial(const fs::path& run) {
  const auto folder = partial_folder(run);
  if (!fs::exists(folder)) return;
  const auto away = staging_path(folder);
  fs::rename(folder, away);
  shred(away);
}

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

void check_sums(const fs::path& folder) {
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
}

Checkpoint read_checkpoint(const fs::path& folder) {
  check_sums(folder);
  Checkpoint checkpoint;
  checkpoint.state = read_state(folder);
  checkpoint.model = read_safetensors(folder / kModel);
  checkpoint.method = read_safetensors(folder / kMethod);
  checkpoint.optimizer = read_safetensors(folder / kOptimizer);
  return checkpoint;
}

ClassSet erased_in(const Checkpoint& checkpoint) {
  return ClassSet(checkpoint.state.value("erased", std::vector<ClassId>{}));
}

void restore_network(Network& network, const TaskPlan& plan, int64_t task, uint64_t seed,
                     const Checkpoint& checkpoint, const std::string& origin) {
  for (int64_t number = 1; number <= task; ++number) {
    for (const auto count : plan.task(number).new_heads()) network.add_classes(count, seed);
  }
  network.to(network.device());
  load_state(network, checkpoint.model, origin);
  network.mask(erased_in(checkpoint));
}

std::string model_hash(const fs::path& folder) { return read_sums(folder)[kModel]; }

std::vector<int64_t> versions_of(const fs::path& run) {
  std::vector<int64_t> events;
  if (!fs::exists(run / kVersions)) return events;
  for (const auto& entry : fs::directory_iterator(run / kVersions)) {
    const std::string name = entry.path().filename();
    if (const auto event = event_number(name)) events.push_back(*event);
  }
  std::sort(events.begin(), events.end());
  return events;
}

bool has_checkpoint(const fs::path& run) {
  return !versions_of(run).empty() || is_recoverable(partial_folder(run));
}

std::optional<fs::path> newest_checkpoint(const fs::path& run) {
  const auto partial = partial_folder(run);
  recover_folder(partial);
  remove_staged(run / kVersions, [&](const std::string& name) {
    return name == partial.filename() || name == candidate_folder(run).filename() ||
           event_number(name);
  });
  const auto finished = versions_of(run);
  if (fs::exists(partial / kState)) {
    const auto task = read_state(partial).at("task").get<int64_t>();
    if (finished.empty() || task > finished.back()) return partial;
    drop_partial(run);  // killed after writing the version, before removing partial
  }
  if (!finished.empty()) return version_of(run, finished.back());
  return std::nullopt;
}

}  // namespace lethe
