#include "lethe/run/first_task_cache.h"

#include <array>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/sha256.h"
#include "lethe/core/system.h"
#include "lethe/method/first_task.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr std::array kRecords = {kMetricsFile};

// The part of the configuration that the first task depends on, without stream and method.
std::string first_settings(RunConfig& config) {
  Fields relevant;
  for (auto& field : config.fields()) {
    const auto& key = field.key;
    const bool elsewhere =
        key.starts_with("method.") || key.starts_with("stream.") || key == "requests";
    if (!field.after_first_task && !elsewhere) relevant.push_back(std::move(field));
  }
  return to_toml(relevant);
}

}  // namespace

FirstTaskCache::FirstTaskCache(fs::path folder, fs::path run, std::string key)
    : folder_(std::move(folder)), run_(std::move(run)), key_(std::move(key)) {}

std::string FirstTaskCache::key_of(RunConfig& config, const TaskPlan& plan,
                                   const RunIdentity& identity, int threads) {
  const auto text = fmt::format(
      "{}\nclasses: {} of {}\ndata: {}\nweights: {}\nmethod: {}\nthreads: {}\nlethe: {}\n"
      "libtorch: {}\n",
      first_settings(config), plan.names(plan.task(1).new_classes), plan.num_classes(),
      identity.data, identity.weights,
      first_task_text(config.method_recipe(), config.method_groups, plan), threads, commit(),
      torch_version());
  return sha256(text).substr(0, kCacheKeySize);
}

fs::path FirstTaskCache::entry() const {
  return folder_.empty() ? fs::path() : fs::absolute(folder_ / key_).lexically_normal();
}

bool FirstTaskCache::fetch() const {
  if (folder_.empty() || !fs::exists(folder_ / key_)) return false;
  try {
    for (const char* file : kRecords) {
      fs::copy_file(folder_ / key_ / file, run_ / file, fs::copy_options::overwrite_existing);
    }
    fs::create_directories(run_ / kVersions);
    const auto target = version_folder(run_, 1, EventKind::kLearn);
    fs::copy(folder_ / key_ / kCachedVersion, staging_path(target), fs::copy_options::recursive);
    replace_folder(staging_path(target), target);
  } catch (const fs::filesystem_error& error) {
    throw_error<Error>("{}: the first task cannot be copied from the cache: {}",
                       (folder_ / key_).string(), error.code().message());
  }
  return true;
}

void FirstTaskCache::on(const EventComplete& event) {
  if (folder_.empty() || event.task != 1 || fs::exists(folder_ / key_)) return;
  const auto target = folder_ / key_;
  const auto beside = staging_path(target);
  try {
    fs::create_directories(beside);
    fs::copy(event.folder, beside / kCachedVersion, fs::copy_options::recursive);
    for (const char* file : kRecords) fs::copy_file(run_ / file, beside / file);
    replace_folder(beside, target);
  } catch (const fs::filesystem_error& error) {
    // A run must not fail because its first task cannot be cached.
    log_warning("{}: the first task cannot be stored in the cache: {}", folder_.string(),
                error.code().message());
    std::error_code ignored;
    fs::remove_all(beside, ignored);
  }
}

}  // namespace lethe
