#include "lethe/run/erase_forgotten.h"

#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/run/data_record.h"
#include "lethe/run/experiment.h"
#include "lethe/run/finished_run.h"
#include "lethe/run/pending_event.h"
#include "lethe/run/runner.h"
#include "lethe/run/session.h"

namespace lethe {

namespace fs = std::filesystem;

void erase_forgotten(const fs::path& run, const std::vector<std::string>& classes, int threads) {
  RunConfig config;
  read_run_config(config, run);
  require_nothing_pending(run);
  const FinishedRun finished(run, config);
  const AddedEvent added = {.event = {.kind = EventKind::kPurge, .classes = classes}, .data = ""};
  auto history = finished.history;
  history.added.push_back(added);
  history.last_is_new = true;
  const auto experiment = make_experiment(config, history);
  const auto& plan = *experiment.plan;
  const auto& task = plan.tasks().back();
  check_run_data(run, finished.ledger, config.data,
                 {.test = class_names(plan, task.without(finished.erased).kept)});
  config.keep.protocol = Protocol::kErase;
  config.keep.keep_before = false;  // ends here
  Session session(config, experiment, run, threads, {}, {{kCommandKey, to_json(added)}});
  session.resume();
  try {
    session.run();
  } catch (const Interrupted&) {
    rewind(run, config, finished);
    throw;
  }
}

}  // namespace lethe
