// Files and folders that are there whole or not at all: written beside, fsynced, renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lethe {

// Throws DataError if path cannot be read.
std::string read_text(const std::filesystem::path& path);

// Writes text to path + ".tmp-<pid>", fsyncs, renames over path. Throws Error (disk full, no
// permission).
void write_atomically(const std::filesystem::path& path, std::string_view text);

// Writes a new file and fsyncs it. For files inside a folder that is itself put in place by
// replace_folder.
void write_durably(const std::filesystem::path& path, std::string_view text);

// The name under which a folder is prepared before replace_folder: same parent, so that rename
// works.
std::filesystem::path staging_path(const std::filesystem::path& target);

// Puts the prepared folder in the place of target, atomically where the file system can exchange
// names (Linux renameat2). Where it cannot, target is away for a moment; recover_folder mends a
// kill in that moment.
void replace_folder(const std::filesystem::path& prepared, const std::filesystem::path& target);

// Whether a folder is there, or would be after recover_folder.
bool is_recoverable(const std::filesystem::path& target);

// Completes or undoes what a killed replace_folder left.
void recover_folder(const std::filesystem::path& target);

// The target that a staging name was made for ("a.csv" of "a.csv.tmp-12"), or nothing.
std::optional<std::string> staged_target(const std::string& name);

// Removes what was prepared in a folder (files or folders under their staging name) for a target
// that ours() knows, and never put in place. Only where no other process works.
void remove_staged(const std::filesystem::path& folder,
                   const std::function<bool(const std::string& target)>& ours);

// An append-only text file of lines (JSON lines): append() writes one whole line.
class LineFile {
 public:
  // Opens path for appending, making it if missing. Throws Error.
  explicit LineFile(std::filesystem::path path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  void append(std::string_view line);
  int64_t lines() const { return lines_; }
  void sync();

  // Cuts the file back to its first lines. Throws DataError if it has fewer.
  void truncate(int64_t lines);

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  int64_t lines_ = 0;
};

// The file inside a folder that FolderLock locks.
inline constexpr const char* kLockFile = ".lock";

// An exclusive lock on a folder that dies with its process. Throws ConfigError if another process
// holds it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace lethe
