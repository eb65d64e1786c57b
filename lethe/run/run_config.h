// The whole configuration of a run: the sections of every part, in one place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/data/options.h"
#include "lethe/method/option_groups.h"
#include "lethe/method/registry.h"
#include "lethe/metrics/scores.h"
#include "lethe/model/options.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/options.h"

namespace lethe {

// Not copyable: fields() point into it.
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
  std::vector<std::string> changed;  // keys that the user set to other values than the defaults

  Fields fields();
  Fields used_fields();  // without what other methods and other data sets read
  const MethodEntry& method_entry() const;
  const MethodRecipe& method_recipe() const;  // for the kind of data
};

// A TOML file or the name of a preset, with assignments (KEY=VALUE) on top. Throws ConfigError.
ConfigText read_config(const std::string& file_or_preset, const std::vector<std::string>& sets);

// Applies the text, checks what needs no data, and warns of method options that the method does not
// read.
void configure(RunConfig& config, const ConfigText& text);

// Replaces every "auto" by what it means for this data set (specification 4). Afterwards fields()
// reproduce the run.
void resolve(RunConfig& config, const DatasetInfo& info);

// The part of it that does not ask the method: [model], [train], eval.batch.
void resolve_learning(RunConfig& config, const DatasetInfo& info);

// The name that a run gets by default: "runs/<config name>".
std::filesystem::path default_run_folder(const std::string& file_or_preset);

}  // namespace lethe
