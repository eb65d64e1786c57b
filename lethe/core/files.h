// Atomic writes of files and folders: write under a temporary name, fsync, rename.
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

// Writes text to path + ".tmp-<pid>", fsyncs it and renames it to path. Throws Error (disk full, no
// permission).
void write_atomically(const std::filesystem::path& path, std::string_view text);

// Writes a new file and fsyncs it. For files in a folder that replace_folder will later move into
// place.
void write_durably(const std::filesystem::path& path, std::string_view text);

// Temporary path for preparing a folder before replace_folder. It has the same parent folder as
// target, because rename works only within one file system.
std::filesystem::path staging_path(const std::filesystem::path& target);

// Replaces target with the prepared folder, atomically if the file system can exchange names (Linux
// renameat2). Otherwise target is briefly missing; if the process is killed at that point,
// recover_folder repairs it.
void replace_folder(const std::filesystem::path& prepared, const std::filesystem::path& target);

// Whether target exists or can be restored by recover_folder.
bool is_recoverable(const std::filesystem::path& target);

// Completes or rolls back an interrupted replace_folder.
void recover_folder(const std::filesystem::path& target);

// The target of a staging name ("a.csv" for "a.csv.tmp-12"), or std::nullopt if name is not a
// staging name.
std::optional<std::string> staged_target(const std::string& name);

// Removes leftover staging files and folders whose target satisfies ours(). Call only when no other
// process uses the folder.
void remove_staged(const std::filesystem::path& folder,
                   const std::function<bool(const std::string& target)>& ours);

// Overwrites the contents of a file, or of all files in a folder, then removes it. No effect if it
// does not exist. Copies that the file system or the device keeps (journal, snapshots, worn blocks
// of an SSD) are out of reach.
void shred(const std::filesystem::path& path);

// An append-only text file (JSON lines). append() writes one whole line.
class LineFile {
 public:
  // Opens path for appending, creating it if missing. Throws Error.
  explicit LineFile(std::filesystem::path path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  void append(std::string_view line);
  int64_t lines() const { return lines_; }
  void sync();

  // Truncates the file to its first `lines` lines. Throws DataError if it has fewer.
  void truncate(int64_t lines);

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  int64_t lines_ = 0;
};

// The file in a folder that FolderLock locks.
inline constexpr const char* kLockFile = ".lock";

// An exclusive lock on a folder, released by the destructor or when the process exits. The
// constructor throws ConfigError if another process holds the lock.
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
