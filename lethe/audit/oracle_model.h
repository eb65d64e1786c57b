// The network of a trained oracle, with its classes matched by name to those of the audited run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"

namespace lethe {

struct OracleModel {
  std::shared_ptr<Network> network;  // in evaluation mode, without gradients, on the CPU
  // By class id of the audited run: the class id of the oracle, which is its logit column.
  // std::nullopt = the oracle never saw the class, or not yet.
  std::vector<std::optional<ClassId>> columns;
};

// Loads a version of an oracle's run. plan, info: of the audited run. If a class was learned twice,
// the columns are those of the newer one. Throws DataError if there is no such version or it is
// damaged.
OracleModel load_oracle(const std::filesystem::path& run, int64_t event, const TaskPlan& plan,
                        const DatasetInfo& info);

}  // namespace lethe
