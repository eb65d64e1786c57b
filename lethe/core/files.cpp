#include "lethe/core/files.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/text.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  const int code = errno;
  const char* hint = code == ENOSPC ? "; free some space and use --resume" : "";
  throw_error<Error>("{}: {}: {}{}", path.string(), what, std::strerror(code), hint);
}

void write_all(int fd, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path, "cannot be written");
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return;  // no read permission on the folder: it cannot be synced
  ::fsync(fd);
  ::close(fd);
}

// Suffixes of temporary names next to the target; recover_folder uses them.
constexpr std::string_view kStaging = ".tmp-";
constexpr std::string_view kOld = ".old";

fs::path old_path(const fs::path& target) { return target.string() + std::string(kOld); }

}  // namespace

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || fs::is_directory(path)) {
    throw_error<DataError>("{}: cannot be opened: {}", path.string(),
                           fs::is_directory(path) ? "it is a folder" : std::strerror(errno));
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void write_durably(const fs::path& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) fail(path, "cannot be written");
  try {
    write_all(fd, path, text);
    if (::fsync(fd) != 0) fail(path, "cannot be written");
  } catch (...) {
    ::close(fd);
    throw;
  }
  if (::close(fd) != 0) fail(path, "cannot be written");
}

fs::path staging_path(const fs::path& target) {
  return target.string() + std::string(kStaging) + std::to_string(::getpid());
}

void write_atomically(const fs::path& path, std::string_view text) {
  const fs::path staged = staging_path(path);
  try {
    write_durably(staged, text);
    if (::rename(staged.c_str(), path.c_str()) != 0) fail(path, "cannot be replaced");
  } catch (...) {
    std::error_code ignored;
    fs::remove(staged, ignored);
    throw;
  }
  sync_folder(path.parent_path());
}

void replace_folder(const fs::path& prepared, const fs::path& target) {
  sync_folder(prepared);
  if (!fs::exists(target)) {
    if (::rename(prepared.c_str(), target.c_str()) != 0) fail(target, "cannot be put in place");
    sync_folder(target.parent_path());
    return;
  }
  const fs::path old = old_path(target);
  if (::syscall(SYS_renameat2, AT_FDCWD, prepared.c_str(), AT_FDCWD, target.c_str(),
                RENAME_EXCHANGE) == 0) {
    sync_folder(target.parent_path());
    fs::remove_all(prepared);  // now the old content
    return;
  }
  if (errno != EINVAL && errno != ENOSYS) fail(target, "cannot be replaced");
  if (::rename(target.c_str(), old.c_str()) != 0) fail(target, "cannot be replaced");
  if (::rename(prepared.c_str(), target.c_str()) != 0) fail(target, "cannot be put in place");
  sync_folder(target.parent_path());
  fs::remove_all(old);
}

bool is_recoverable(const fs::path& target) {
  return fs::exists(target) || fs::exists(old_path(target));
}

void recover_folder(const fs::path& target) {
  const fs::path old = old_path(target);
  if (!fs::exists(target) && fs::exists(old)) fs::rename(old, target);
  fs::remove_all(old);
}

std::optional<std::string> staged_target(const std::string& name) {
  const auto suffix = name.rfind(kStaging);
  if (suffix == std::string::npos) return std::nullopt;
  const auto pid = name.substr(suffix + kStaging.size());
  if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return name.substr(0, suffix);
}

void remove_staged(const fs::path& folder, const std::function<bool(const std::string&)>& ours) {
  if (!fs::exists(folder)) return;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto target = staged_target(entry.path().filename());
    if (target && ours(*target)) stale.push_back(entry.path());
  }
  for (const auto& path : stale) fs::remove_all(path);
}

namespace {

void overwrite(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail(path, "cannot be overwritten");
  constexpr size_t kBlock = size_t{1} << 20;
  const std::string zeros(kBlock, '\0');
  auto left = static_cast<size_t>(fs::file_size(path));
  while (left > 0) {
    const auto part = std::min(left, kBlock);
    write_all(fd, path, std::string_view(zeros).substr(0, part));
    left -= part;
  }
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

void shred(const fs::path& path) {
  if (!fs::exists(fs::symlink_status(path))) return;
  const auto is_file = [](const fs::path& one) {
    return fs::is_regular_file(fs::symlink_status(one));
  };
  if (is_file(path)) {
    overwrite(path);
  } else if (fs::is_directory(fs::symlink_status(path))) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (is_file(entry.path())) overwrite(entry.path());
    }
  }
  fs::remove_all(path);
}

LineFile::LineFile(fs::path path) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(path_, "cannot be opened for writing");
  const std::string text = read_text(path_);
  lines_ = std::count(text.begin(), text.end(), '\n');
}

LineFile::~LineFile() { ::close(fd_); }

void LineFile::append(std::string_view line) {
  std::string text(line);
  text += '\n';
  write_all(fd_, path_, text);
  ++lines_;
}

void LineFile::sync() {
  if (::fsync(fd_) != 0) fail(path_, "cannot be written");
}

void LineFile::truncate(int64_t lines) {
  const std::string text = read_text(path_);
  size_t end = 0;
  for (int64_t i = 0; i < lines; ++i) {
    const auto next = text.find('\n', end);
    if (next == std::string::npos) {
      throw_error<DataError>("{}: has {}, expected at least {}: lines were lost", path_.string(),
                             counted(i, "line"), lines);
    }
    end = next + 1;
  }
  if (::ftruncate(fd_, static_cast<off_t>(end)) != 0) fail(path_, "cannot be truncated");
  lines_ = lines;
}

FolderLock::FolderLock(const fs::path& folder) {
  const fs::path path = folder / kLockFile;
  for (;;) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) fail(path, "cannot be opened for writing");
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      ::close(fd_);
      throw_error<ConfigError>("{}: another process is working on this run; wait for it or stop it",
                               folder.string());
    }
    // Another process may have released the lock and removed the file between open and flock.
    struct stat locked {};
    struct stat named {};
    if (::fstat(fd_, &locked) == 0 && ::stat(path.c_str(), &named) == 0 &&
        locked.st_ino == named.st_ino)
      return;
    ::close(fd_);
  }
}

FolderLock::~FolderLock() { ::close(fd_); }

}  // namespace lethe
