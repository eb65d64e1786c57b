#include "lethe/trainer/options.h"

namespace lethe {

Fields config_fields(TrainOptions& o) {
  return {
      {"train.epochs", &o.epochs, "epochs per task", at_least(1)},
      after_first_task({"train.epochs_next", &o.epochs_next,
                        "epochs per task from the second task on; auto = train.epochs",
                        at_least(1)}),
      {"train.batch", &o.batch, "batch size: images per step", at_least(1)},
      {"train.accumulate", &o.accumulate,
       "split each batch into this many parts and accumulate their gradients, to save memory; "
       "batch norm sees one part at a time",
       at_least(1)},
      {"train.amp", &o.amp, "mixed precision: nearly halves activation memory; needs CUDA"},
      {"train.lr", &o.lr,
       "learning rate of the first task; auto depends on the dataset and pretrained weights",
       above(0)},
      after_first_task(
          {"train.lr_next", &o.lr_next,
           "learning rate of later tasks; auto = train.lr (segmentation: train.lr / 10)",
           above(0)}),
      {"train.schedule",
       &o.schedule,
       "learning rate schedule within a task; auto = cosine (segmentation: poly)",
       {},
       {"auto", "constant", "step", "poly", "cosine"}},
      {"train.milestones", &o.milestones,
       "step schedule: epochs after which the learning rate is multiplied by train.gamma",
       at_least(1)},
      {"train.gamma", &o.gamma, "step schedule: decay factor", between(0, 1)},
      {"train.poly_power", &o.poly_power, "poly schedule: exponent", above(0)},
      {"train.warmup_epochs", &o.warmup_epochs,
       "epochs of linear learning rate warm-up; auto = 1 (0.5 if there is only one epoch; "
       "segmentation: 0)",
       at_least(0)},
      {"train.momentum", &o.momentum, "momentum of SGD", at_least_below(0, 1)},
      {"train.nesterov", &o.nesterov, "use Nesterov momentum; auto = only for segmentation"},
      {"train.weight_decay", &o.weight_decay,
       "weight decay of all parameters; auto = 5e-4 (segmentation: 1e-4)", at_least(0)},
      {"train.clip_norm", &o.clip_norm,
       "clip the norm of the whole gradient to this value; 0 = off", at_least(0)},
      {"train.max_steps", &o.max_steps,
       "maximum steps of a task with images, and of its importance pass; 0 = no limit",
       at_least(0)},
      {"train.seed", &o.seed, "random seed for weights, shuffling and augmentation", at_least(0)},
      {"train.device",
       &o.device,
       "device for training and evaluation; auto = cuda if available",
       {},
       {"auto", "cpu", "cuda"}},
      {"train.log_steps", &o.log_steps, "steps between two lines of metrics.jsonl", at_least(1)},
      {"train.grad_steps", &o.grad_steps,
       "steps between two measurements of each loss term's share of the gradient; 0 = never",
       at_least(0)},
      {"train.checkpoint_steps", &o.checkpoint_steps,
       "steps between checkpoints within a task; 0 = only by time", at_least(0)},
      {"train.checkpoint_minutes", &o.checkpoint_minutes,
       "minutes between checkpoints within a task; 0 = only by steps", at_least(0)},
      {"request.steps", &o.request_steps, "optimiser steps of a request-only event", at_least(1)},
  };
}

Fields config_fields(EvalOptions& o) {
  return {
      {"eval.every",
       &o.every,
       "when to evaluate: at the end of every task, or also after every epoch",
       {},
       {"task", "epoch"}},
      {"eval.split",
       &o.split,
       "images to evaluate on: test, or the held-out training images (val); auto = val if "
       "data.val_fraction > 0, else test",
       {},
       {"auto", "test", "val"}},
      {"eval.batch", &o.batch,
       "batch size of the evaluation; auto = 256 (segmentation: at most 256 x 64 x 64 pixels)",
       at_least(1)},
  };
}

}  // namespace lethe
