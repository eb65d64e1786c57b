#include "lethe/run/finished_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/shell.h"
#include "lethe/data/load_data.h"
#include "lethe/record/recorder.h"
#include "lethe/record/run_files.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

FinishedRun::FinishedRun(const fs::path& path, RunConfig& config)
    : ledger(path), history(read_history(ledger)) {
  config.model.pretrained.clear();  // the version has all weights
  for (const auto& added : history.added) config.stream.later.push_back(added.event);
  DatasetInfo info;
  info.problem = find_dataset(config.data.name).problem;
  info.class_names = history.all_names();
  config.stream.own_classes = static_cast<int64_t>(history.class_names.size());
  plan = std::make_unique<TaskPlan>(config.stream, info);
  const auto events = static_cast<int64_t>(plan->tasks().size());
  if (ledger.last_event() < events)
    throw_error<ConfigError>(
        "{}: the run is not finished ({} of {} events); finish it first: `lethe run {} --out {} "
        "--resume`",
        path.string(), std::max<int64_t>(0, ledger.last_event()), events,
        shell_quoted((path / kConfigFile).string()), shell_quoted(path.string()));
  erased = erased_in(read_checkpoint(version_of(path, events)));
}

void rewind(const fs::path& path, const RunConfig& config, const FinishedRun& run) {
  Recorder recorder(path, *run.plan, config.metric, config.train.log_steps);
  recorder.restore(read_checkpoint(version_of(path, run.ledger.last_event()))
                       .state.at("listeners")
                       .at("recorder"));
}

}  // namespace lethe
