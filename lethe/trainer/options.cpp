#include "lethe/trainer/options.h"

namespace lethe {

int64_t TrainOptions::epochs_of(int64_t task) const {
  const int64_t first = epochs.value_or(kDefaultEpochs);
  return task == 1 ? first : epochs_next.value_or(first);
}

int64_t TrainOptions::batch_size() const { return batch.value_or(kDefaultBatch); }

Fields config_fields(TrainOptions& o) {
  const auto has_schedule = [&o](const char* name) {
    return [&o, name] { return o.schedule == name; };
  };
  return {
      common({"train.epochs", &o.epochs,
              "epochs per task; auto = 4 (your own images: 5 to 60, more for fewer images)",
              at_least(1)}),
      after_first_task(
          common({"train.epochs_next", &o.epochs_next,
                  "epochs per task from the second task on; auto = train.epochs", at_least(1)})),
      common({"train.batch", &o.batch,
              "batch size: images per step; auto = 64 (your own images: 16 to 64, depending on how "
              "many a task has)",
              at_least(1)}),
      common({"train.accumulate", &o.accumulate,
              "split each batch into this many parts and accumulate gradients, to save memory; "
              "batch norm sees one part at a time",
              at_least(1)}),
      common({"train.amp", &o.amp, "mixed precision: halves activation memory; needs CUDA"}),
      common({"train.lr", &o.lr, "learning rate of the first task; auto depends on the dataset",
              above(0)}),
      after_first_task(
          common({"train.lr_next", &o.lr_next,
                  "learning rate of later tasks; auto = train.lr (segmentation: train.lr / 10)",
                  above(0)})),
      common({"train.schedule",
              &o.schedule,
              "learning rate schedule within a task; auto = cosine (segmentation: poly)",
              {},
              {"auto", "constant", "step", "poly", "cosine"}}),
      only_with("train.schedule = \"step\"", has_schedule("step"),
                {"train.milestones", &o.milestones,
                 "step schedule: epochs after which the learning rate is multiplied by train.gamma",
                 at_least(1)}),
      only_with("train.schedule = \"step\"", has_schedule("step"),
                {"train.gamma", &o.gamma, "step schedule: decay factor", between(0, 1)}),
      only_with("train.schedule = \"poly\"", has_schedule("poly"),
                {"train.poly_power", &o.poly_power, "poly schedule: exponent", above(0)}),
      {"train.warmup_epochs", &o.warmup_epochs,
       "epochs of linear learning rate warm-up; auto = 1 (0.5 if there is only one epoch; "
       "segmentation: 0)",
       at_least(0)},
      common({"train.momentum", &o.momentum, "momentum of SGD", at_least_below(0, 1)}),
      {"train.nesterov", &o.nesterov, "use Nesterov momentum; auto = only for segmentation"},
      common({"train.weight_decay", &o.weight_decay,
              "weight decay of all parameters; auto = 5e-4 (segmentation: 1e-4)", at_least(0)}),
      {"train.clip_norm", &o.clip_norm, "clip the gradient norm to this value; 0 = off",
       at_least(0)},
      common({"train.max_steps", &o.max_steps,
              "maximum steps per task, and per pass that measures importances; 0 = no limit; "
              "requests without images use request.steps instead",
              at_least(0)}),
      common({"train.seed", &o.seed, "random seed for weights, shuffling and augmentation",
              at_least(0)}),
      common({"train.device",
              &o.device,
              "device; auto = cuda if available",
              {},
              {"auto", "cpu", "cuda"}}),
      {"train.log_steps", &o.log_steps, "steps between two lines of metrics.jsonl", at_least(1)},
      {"train.grad_steps", &o.grad_steps,
       "steps between two measurements of each loss term's share of the gradient; 0 = never",
       at_least(0)},
      {"train.checkpoint_steps", &o.checkpoint_steps,
       "steps between checkpoints within a task; 0 = by time", at_least(0)},
      common({"train.checkpoint_minutes", &o.checkpoint_minutes,
              "minutes between checkpoints within a task; 0 = none", at_least(0)}),
      common({"request.steps", &o.request_steps,
              "optimiser steps for a request without images; auto = 100 (contrastive+: 300)",
              at_least(1)}),
      {"request.lr", &o.request_lr,
       "constant learning rate of a request without images; auto = train.lr_next with "
       "train.schedule (contrastive+: a rate of its own)",
       above(0)},
      {"request.clip_norm", &o.request_clip_norm,
       "clip the gradient norm to this value in a request without images; 0 = off; auto = "
       "train.clip_norm (contrastive+: 10)",
       at_least(0)},
  };
}

Fields config_fields(EvalOptions& o) {
  return {
      common({"eval.every",
              &o.every,
              "when to evaluate: at the end of each task, or also after every epoch",
              {},
              {"task", "epoch"}}),
      common({"eval.split",
              &o.split,
              "split to evaluate on; auto = val if data.val_fraction > 0, else test",
              {},
              {"auto", "test", "val"}}),
      common({"eval.batch", &o.batch,
              "evaluation batch size; auto = 256 (segmentation: as many images as fit into 256 x "
              "64 x 64 pixels)",
              at_least(1)}),
  };
}

}  // namespace lethe
