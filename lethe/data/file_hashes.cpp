#include "lethe/data/file_hashes.h"

#include <sys/stat.h>

#include "lethe/core/error.h"
#include "lethe/core/sha256.h"
#include "lethe/core/signals.h"
#include "lethe/data/parallel.h"

namespace lethe {

namespace fs = std::filesystem;

std::optional<FileStamp> stamp_of(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto& time = status.st_mtim;
  return FileStamp{.bytes = int64_t{status.st_size},
                   .modified_ns = int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_nsec}};
}

std::vector<std::string> hashes_of(const std::vector<fs::path>& paths, int threads) {
  std::vector<std::string> hashes(paths.size());
  const auto total = static_cast<int64_t>(paths.size());
  ImageProgress progress("hashing data files", total, "files");
  parallel_for(0, total, threads, [&](int64_t i) {
    if (stop_requested()) throw Interrupted("stopped while data files were hashed");
    const auto place = static_cast<size_t>(i);
    hashes[place] = sha256_of_file(paths[place]);
    progress.add();
  });
  return hashes;
}

}  // namespace lethe
