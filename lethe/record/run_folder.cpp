#include "lethe/record/run_folder.h"

#include <system_error>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/record/run_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// Files of runs of lethe 0.1, which may be overwritten but not continued.
const std::vector<RunFile> kOldFiles = {{"checkpoints/", ""}, {"requests.jsonl", ""}};

bool is_ours(const std::string& name) { return is_run_file(staged_target(name).value_or(name)); }

// The path without the '/' that marks a folder.
fs::path path_in(const fs::path& folder, const RunFile& file) {
  const bool is_folder = file.name.ends_with('/');
  return folder / file.name.substr(0, file.name.size() - (is_folder ? 1 : 0));
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  if (error) throw_error<Error>("{}: cannot be read: {}", folder.string(), error.message());
  return entries;
}

void remove_entries(const fs::path& folder) {
  remove_staged(folder, is_run_file);
  for (const auto& file : run_files()) fs::remove_all(path_in(folder, file));
  for (const auto& file : kOldFiles) fs::remove_all(path_in(folder, file));
}

}  // namespace

bool is_old_run(const fs::path& folder) {
  return fs::exists(folder / kConfigFile) && !fs::exists(folder / kLedgerFile) &&
         fs::exists(path_in(folder, kOldFiles.front()));
}

void check_run_folder(const fs::path& folder, bool resume) {
  std::error_code ignored;
  const auto status = fs::status(folder, ignored);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw_error<ConfigError>("{}: is a file; --out takes a folder", folder.string());
  if (is_old_run(folder))
    throw_error<ConfigError>(
        "{}: contains a run of lethe 0.1, which cannot be continued; use another --out",
        folder.string());
  if (has_checkpoint(folder)) {
    if (resume) return;
    throw_error<ConfigError>("{}: contains a run; use another --out, or --resume to continue it",
                             folder.string());
  }
  // Without a checkpoint, our own files (of a start that failed or was killed) may be overwritten.
  // Any other file is an error.
  for (const auto& entry : entries_of(folder)) {
    if (is_ours(entry.filename())) continue;
    throw_error<ConfigError>("{}: is not a run directory (it contains '{}'); use another --out",
                             folder.string(), entry.filename().string());
  }
}

void remove_run(const fs::path& folder) {
  if (!fs::exists(folder)) return;
  if (!is_old_run(folder)) check_run_folder(folder, /*resume=*/true);
  const FolderLock lock(folder);  // no other process uses it
  remove_entries(folder);
  std::error_code not_empty;
  fs::remove(folder, not_empty);
}

RunFolder::RunFolder(const fs::path& path, bool resume) : path_(path) {
  check_run_folder(path, resume);
  std::error_code error;
  made_ = fs::create_directories(path, error);
  if (error)
    throw_error<Error>("{}: the run directory cannot be created: {}", path.string(),
                       error.message());
  lock_ = std::make_unique<FolderLock>(path);
  check_run_folder(path, resume);  // again, now that no other process can change it
  remove_staged(path, is_run_file);
  keep_ = has_checkpoint(path);
}

RunFolder::~RunFolder() {
  if (keep_) return;
  // The lock is still held, so all these files are from this process.
  std::error_code ignored;
  for (const auto& file : run_files()) fs::remove_all(path_in(path_, file), ignored);
  if (made_) fs::remove(path_, ignored);
}

}  // namespace lethe
