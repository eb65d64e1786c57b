#include "lethe/audit/references.h"

#include <fmt/format.h>

#include "lethe/audit/oracle_model.h"
#include "lethe/audit/oracle_spec.h"
#include "lethe/audit/oracle_training.h"

namespace lethe {

namespace {

AuditModel loaded(const TrainedOracle& trained, const OpenedRun& opened, const std::string& name) {
  const auto oracle =
      load_oracle(trained.run, trained.event, opened.plan(), opened.experiment.data.train->info());
  AuditModel model{.name = name, .network = oracle.network, .column = {}};
  for (const auto& column : oracle.columns) model.column.push_back(column.value_or(-1));
  return model;
}

}  // namespace

OracleSource trained_oracles(const AuditOptions& options, const ReferenceJobs& jobs) {
  return [&options, jobs](const OpenedRun& opened, const Subject& subject) {
    const auto specs = oracle_specs(subject.run, subject.version, options);
    OracleJobs work{.cache = options.cache, .side_by_side = jobs.side_by_side};
    if (!jobs.program.empty()) work.program = jobs.program;
    const auto trained = train_oracles(specs, work);
    std::vector<OracleReference> references;
    for (size_t i = 0; i < trained.size(); ++i) {
      const auto& own = trained[i];
      const auto name = fmt::format("oracle {}", i + 1);
      references.push_back({.model = loaded(own, opened, name),
                            .record = {.name = fmt::format("{} ({})", name, specs[i].method),
                                       .model_hash = own.model,
                                       .seed = specs[i].seed,
                                       .seconds = own.cost.seconds,
                                       .images = own.cost.images,
                                       .from_cache = own.was_cached}});
    }
    return references;
  };
}

}  // namespace lethe
