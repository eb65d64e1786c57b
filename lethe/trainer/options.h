// The [train], [request] and [eval] sections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"

namespace lethe {

struct TrainOptions {
  int64_t epochs = 4;
  std::optional<int64_t> epochs_next;  // tasks 2 and later; not set = epochs
  int64_t batch = 64;
  int64_t accumulate = 1;         // parts of a batch that go through the network one after another
  bool amp = false;               // mixed precision; CUDA only
  std::optional<double> lr;       // first task; not set = by setting (specification 4)
  std::optional<double> lr_next;  // tasks 2 and later; not set = by setting
  std::string schedule = "auto";  // constant | step | poly | cosine
  std::vector<int64_t> milestones = {40, 60, 120,
                                     160};  // step: epochs after which lr is multiplied by gamma
  double gamma = 0.2;
  double poly_power = 0.9;
  std::optional<double> warmup_epochs;  // lr rises linearly over them
  double momentum = 0.9;
  std::optional<bool> nesterov;        // not set = by setting
  std::optional<double> weight_decay;  // not set = by setting
  double clip_norm = 10000.0;          // 0 = off
  int64_t max_steps = 0;               // per task, 0 = no limit
  int64_t seed = 0;
  std::string device = "auto";

  int64_t request_steps = 100;  // [request] steps

  int64_t grad_steps = 20;          // gradients of the terms are compared every so many steps
  int64_t log_steps = 10;           // a line in metrics.jsonl every so many steps
  int64_t checkpoint_steps = 0;     // 0 = by time only
  double checkpoint_minutes = 5.0;  // 0 = at task ends only (unless checkpoint_steps)
};
Fields config_fields(TrainOptions& options);

struct EvalOptions {
  std::string every = "task";    // or "epoch"
  std::string split = "auto";    // test | val; auto = val if images are held out
  std::optional<int64_t> batch;  // not set = by the size of the images
};
Fields config_fields(EvalOptions& options);

}  // namespace lethe
