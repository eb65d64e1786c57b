// The whole configuration of a run, with the sections of all components.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/data/options.h"
#include "lethe/method/option_groups.h"
#include "lethe/method/registry.h"
#include "lethe/metrics/scores.h"
#include "lethe/metrics/verdict.h"
#include "lethe/model/options.h"
#include "lethe/record/keep_options.h"
#include "lethe/run/audit_options.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/options.h"

namespace lethe {

// Not copyable, because the result of fields() points into it.
struct RunConfig {
  RunConfig();
  RunConfig(const RunConfig&) = delete;
  RunConfig& operator=(const RunConfig&) = delete;

  DataOptions data;
  AugmentOptions aug;
  StreamOptions stream;
  ModelOptions model;
  std::string method = "finetune";
  OptionGroups method_groups;
  TrainOptions train;
  EvalOptions eval;
  MetricOptions metric;
  VerdictOptions forget;
  KeepOptions keep;
  AuditOptions audit;
  std::vector<std::string> changed;  // keys that the user set to values other than the defaults

  Fields fields();
  Fields used_fields();  // without keys of other methods and datasets
  const MethodEntry& method_entry() const;
  const MethodRecipe& method_recipe() const;  // for the problem of the dataset
};

// Reads a TOML file or a preset and applies overrides (KEY=VALUE). Throws ConfigError.
ConfigText read_config(const std::string& file_or_preset, const std::vector<std::string>& sets);

// Applies the text and performs all checks that need no data. Warns about method options that the
// method does not read.
void configure(RunConfig& config, const ConfigText& text);

// Replaces every "auto" with its value for this dataset and number of training images
// (specification 4). Afterwards the values of fields() are enough to reproduce the run.
void resolve(RunConfig& config, const DatasetInfo& info, int64_t images);

// The part of resolve() that does not depend on the method: [model], [train], eval.batch.
void resolve_learning(RunConfig& config, const DatasetInfo& info, int64_t images);

// The augmentation of [aug]; "auto" is the dataset's default for inputs of this size.
Augmentation augmentation_of(const RunConfig& config, const DatasetInfo& info);

// An assignment as a published command shows it: of a path, only the last component.
// "data.root=/home/me/cifar-100-binary" -> "data.root=DIR/cifar-100-binary".
std::string without_own_path(const std::string& assignment);

// The default run directory: "runs/<config name>".
std::filesystem::path default_run_folder(const std::string& file_or_preset);

}  // namespace lethe
