#include "lethe/audit/oracle_model.h"

#include <map>
#include <string>

#include "lethe/audit/oracle_spec.h"
#include "lethe/record/ledger.h"
#include "lethe/run/runner.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// The newest class id of every name that a version knows.
std::map<std::string, ClassId> ids_by_name(const TaskPlan& plan, int64_t event) {
  std::map<std::string, ClassId> ids;
  for (ClassId id = 0; id < plan.num_classes(); ++id) {
    if (plan.task_of(id) <= event) ids[plan.class_name(id)] = id;
  }
  return ids;
}

}  // namespace

OracleModel load_oracle(const fs::path& run, int64_t event, const TaskPlan& plan,
                        const DatasetInfo& info) {
  RunConfig config;
  read_run_config(config, run);
  const auto own = plan_of_run(config, read_history(Ledger(run)));
  const auto folder = version_of(run, event);
  auto network = make_network(config.model, info.channels, 0);
  restore_network(*network, own, event, 0, read_checkpoint(folder), folder.string());

  OracleModel made{.network = network->frozen_copy(), .columns = {}};
  const auto ids = ids_by_name(own, event);
  std::map<std::string, ClassId> newest;
  for (ClassId id = 0; id < plan.num_classes(); ++id) newest[plan.class_name(id)] = id;
  for (ClassId id = 0; id < plan.num_classes(); ++id) {
    const auto found = ids.find(plan.class_name(id));
    const bool known = found != ids.end() && newest.at(plan.class_name(id)) == id;
    made.columns.push_back(known ? std::optional<ClassId>(found->second) : std::nullopt);
  }
  return made;
}

}  // namespace lethe
