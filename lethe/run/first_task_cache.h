// Shares the first task between runs that train it identically. The cache stores the checkpoint and
// the record of the first task under a key computed from everything they depend on.
#pragma once

#include <filesystem>
#include <string>

#include "lethe/run/identity.h"
#include "lethe/run/run_config.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/events.h"

namespace lethe {

class FirstTaskCache : public Listener {
 public:
  // folder: the cache; empty = no caching. run: the run directory to fill or to read.
  FirstTaskCache(std::filesystem::path folder, std::filesystem::path run, std::string key);

  // The key of a resolved configuration: everything that the first task depends on. The stream
  // contributes the classes of the first task; the method contributes its first_task_text().
  static std::string key_of(RunConfig& config, const TaskPlan& plan, const RunIdentity& identity,
                            int threads);

  // The folder of this run's first task in the cache; empty without a cache.
  std::filesystem::path entry() const;

  // Copies a cached first task into the new run directory; returns false if there is none.
  bool fetch() const;

  void on(const EventComplete& event) override;  // stores the first task

 private:
  std::filesystem::path folder_;
  std::filesystem::path run_;
  std::string key_;
};

}  // namespace lethe
