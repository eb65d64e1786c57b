// Methods that train the first task identically can share it: the cache keeps its checkpoint and
// record under a key of everything that they depend on.
#pragma once

#include <filesystem>
#include <string>

#include "lethe/method/method.h"
#include "lethe/run/identity.h"
#include "lethe/run/run_config.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/events.h"

namespace lethe {

class FirstTaskCache : public Listener {
 public:
  // folder: of the cache; empty = no caching. run: the run directory that is filled or read.
  FirstTaskCache(std::filesystem::path folder, std::filesystem::path run, std::string key);

  // The key of a resolved configuration: what acts on the first task. Of the stream these are its
  // classes, not what comes later; of the method its first_task_key().
  static std::string key_of(RunConfig& config, const TaskPlan& plan, const Method& method,
                            const RunIdentity& identity, int threads);

  // Fills the (new) run directory with a cached first task; false if there is none.
  bool fetch() const;

  void on(const CheckpointWritten& event) override;  // stores the first task

 private:
  std::filesystem::path folder_;
  std::filesystem::path run_;
  std::string key_;
};

}  // namespace lethe
