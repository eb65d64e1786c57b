// The [train], [request] and [eval] sections of a configuration. An unset value means "auto"; the
// help texts in options.cpp describe it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"

namespace lethe {

constexpr int64_t kDefaultEpochs = 4;
constexpr int64_t kDefaultBatch = 64;
constexpr int64_t kDefaultRequestSteps = 100;

struct TrainOptions {
  std::optional<int64_t> epochs;
  std::optional<int64_t> epochs_next;  // from task 2 on
  std::optional<int64_t> batch;
  int64_t accumulate = 1;         // number of parts that a batch is split into
  bool amp = false;               // mixed precision; CUDA only
  std::optional<double> lr;       // first task
  std::optional<double> lr_next;  // from task 2 on
  std::string schedule = "auto";  // constant | step | poly | cosine
  std::vector<int64_t> milestones = {40, 60, 120,
                                     160};  // step: epochs after which lr is multiplied by gamma
  double gamma = 0.2;
  double poly_power = 0.9;
  std::optional<double> warmup_epochs;  // epochs of linear warm-up
  double momentum = 0.9;
  std::optional<bool> nesterov;
  std::optional<double> weight_decay;
  double clip_norm = 10000.0;  // 0 = off
  int64_t max_steps = 0;       // per task; 0 = no limit
  int64_t seed = 0;
  std::string device = "auto";

  // [request]: events without images. Unset: what the method says, else as in the tasks.
  std::optional<int64_t> request_steps;
  std::optional<double> request_lr;
  std::optional<double> request_clip_norm;

  int64_t grad_steps = 20;          // steps between measurements of the gradient shares
  int64_t log_steps = 10;           // steps between lines of metrics.jsonl
  int64_t checkpoint_steps = 0;     // 0 = only by time
  double checkpoint_minutes = 5.0;  // 0 = only at task ends and by checkpoint_steps

  int64_t epochs_of(int64_t task) const;  // of the task with this number, from 1
  int64_t batch_size() const;
};
Fields config_fields(TrainOptions& options);

struct EvalOptions {
  std::string every = "task";    // task | epoch
  std::string split = "auto";    // test | val; auto = val if images are held out
  std::optional<int64_t> batch;  // unset = depends on the image size
};
Fields config_fields(EvalOptions& options);

}  // namespace lethe
