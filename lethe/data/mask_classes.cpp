#include "lethe/data/mask_classes.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/sha256.h"
#include "lethe/core/signals.h"
#include "lethe/data/dataset.h"
#include "lethe/data/parallel.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "lethe mask classes 1";

// Identifies the version of a mask file.
struct Stamp {
  uint64_t bytes = 0;
  int64_t time = 0;

  bool operator==(const Stamp&) const = default;
};

struct Known {
  Stamp stamp;
  std::vector<int64_t> ids;
};

using Cache = std::map<std::string, Known>;  // by path

Stamp stamp_of(const fs::path& path) {
  return {.bytes = fs::file_size(path),
          .time = fs::last_write_time(path).time_since_epoch().count()};
}

// Lines of "bytes time count id id ... path". A file in another format is ignored.
Cache read_cache(const fs::path& file) {
  Cache cache;
  if (file.empty() || !fs::exists(file)) return cache;
  std::istringstream text(read_text(file));
  std::string line;
  if (!std::getline(text, line) || line != kFormat) return cache;
  while (std::getline(text, line)) {
    std::istringstream words(line);
    Known known;
    size_t count = 0;
    words >> known.stamp.bytes >> known.stamp.time >> count;
    known.ids.resize(std::min<size_t>(count, 256));
    for (auto& id : known.ids) words >> id;
    std::string path;
    if (words.get() == ' ' && std::getline(words, path)) cache[path] = std::move(known);
  }
  return cache;
}

std::string to_text(const Cache& cache) {
  std::string text = std::string(kFormat) + '\n';
  for (const auto& [path, known] : cache) {
    text += fmt::format("{} {} {}", known.stamp.bytes, known.stamp.time, known.ids.size());
    for (const auto id : known.ids) text += fmt::format(" {}", id);
    text += fmt::format(" {}\n", path);
  }
  return text;
}

void write_cache(const fs::path& file, const Cache& cache) {
  if (file.empty()) return;
  try {
    fs::create_directories(file.parent_path());
    write_atomically(file, to_text(cache));
  } catch (const std::exception& error) {
    log_info("cannot cache the classes of the masks: {}", error.what());
  }
}

MaskClasses read_classes(const fs::path& mask, const ColourTable& colours) {
  try {
    return {.ids = labels_in(read_mask(mask, colours)), .flaw = ""};
  } catch (const UndecodableImage& error) {
    return {.ids = {}, .flaw = error.what()};
  }
}

}  // namespace

std::vector<MaskClasses> classes_of_masks(const std::vector<fs::path>& masks,
                                          const ColourTable& colours, int threads,
                                          const fs::path& cache_file) {
  Cache cache = read_cache(cache_file);
  std::vector<MaskClasses> result(masks.size());
  std::vector<size_t> unknown;
  for (size_t i = 0; i < masks.size(); ++i) {
    const auto found = cache.find(masks[i].string());
    if (found != cache.end() && found->second.stamp == stamp_of(masks[i])) {
      result[i].ids = found->second.ids;
    } else {
      unknown.push_back(i);
    }
  }
  if (unknown.empty()) return result;

  const auto total = static_cast<int64_t>(unknown.size());
  ImageProgress progress("reading masks", total);
  parallel_for(0, total, threads, [&](int64_t i) {
    if (stop_requested()) throw Interrupted("stopped while masks were read");
    const size_t place = unknown[static_cast<size_t>(i)];
    result[place] = read_classes(masks[place], colours);
    progress.add();
  });
  for (const size_t place : unknown) {
    if (!result[place].flaw.empty()) continue;
    cache[masks[place].string()] = {.stamp = stamp_of(masks[place]), .ids = result[place].ids};
  }
  write_cache(cache_file, cache);
  return result;
}

fs::path mask_cache_file(const fs::path& root, const ColourTable& colours) {
  const char* given = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (given != nullptr && *given != '\0') {
    folder = given;
  } else if (home != nullptr && *home != '\0') {
    folder = fs::path(home) / ".cache";
  } else {
    return {};
  }
  std::string identity = fs::absolute(root).lexically_normal().string() + '\n';
  for (const auto& [colour, id] : colours.ids) {
    identity += fmt::format("{} {} {} {}\n", colour[0], colour[1], colour[2], id);
  }
  return folder / "lethe" / "mask_classes" / (sha256(identity).substr(0, 16) + ".txt");
}

}  // namespace lethe
