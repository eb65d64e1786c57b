#include "lethe/trainer/options.h"

namespace lethe {

Fields config_fields(TrainOptions& o) {
  return {
      {"train.epochs", &o.epochs, "passes over the images of a task", at_least(1)},
      {"train.epochs_next", &o.epochs_next, "the same in later tasks; auto = train.epochs",
       at_least(1)},
      {"train.batch", &o.batch, "images in a step", at_least(1)},
      {"train.accumulate", &o.accumulate,
       "parts that a batch goes through the network in, to save memory: gradients add up, batch "
       "norm "
       "sees each part",
       at_least(1)},
      {"train.amp", &o.amp, "mixed precision: half the memory of maps; needs CUDA"},
      {"train.lr", &o.lr, "learning rate of the first task; auto = by data set", above(0)},
      {"train.lr_next", &o.lr_next,
       "learning rate of later tasks; auto = train.lr, for masks a tenth of it", above(0)},
      {"train.schedule",
       &o.schedule,
       "how the rate falls within a task; auto = cosine, for masks poly",
       {},
       {"auto", "constant", "step", "poly", "cosine"}},
      {"train.milestones", &o.milestones,
       "schedule step: epochs after which the rate is multiplied by gamma", at_least(1)},
      {"train.gamma", &o.gamma, "schedule step: the factor", between(0, 1)},
      {"train.poly_power", &o.poly_power, "schedule poly: the exponent", above(0)},
      {"train.warmup_epochs", &o.warmup_epochs,
       "the rate rises linearly over them; auto = 1, for one epoch 0.5, for masks 0", at_least(0)},
      {"train.momentum", &o.momentum, "of SGD", at_least_below(0, 1)},
      {"train.nesterov", &o.nesterov, "Nesterov's form of the momentum; auto = for masks only"},
      {"train.weight_decay", &o.weight_decay,
       "L2 penalty on every parameter; auto = 5e-4, for masks 1e-4", at_least(0)},
      {"train.clip_norm", &o.clip_norm, "largest norm of the whole gradient; 0 = no limit",
       at_least(0)},
      {"train.max_steps", &o.max_steps,
       "stop a task with images after so many steps, and the pass of importances; 0 = no limit",
       at_least(0)},
      {"train.seed", &o.seed, "of weights, order and augmentation", at_least(0)},
      {"train.device",
       &o.device,
       "where to compute; auto = cuda if there is one",
       {},
       {"auto", "cpu", "cuda"}},
      {"train.log_steps", &o.log_steps, "steps between two lines of metrics.jsonl", at_least(1)},
      {"train.grad_steps", &o.grad_steps,
       "steps between two measurements of each loss term's share of the gradient; 0 = never",
       at_least(0)},
      {"train.checkpoint_steps", &o.checkpoint_steps,
       "steps between checkpoints within a task; 0 = by time", at_least(0)},
      {"train.checkpoint_minutes", &o.checkpoint_minutes,
       "minutes between checkpoints within a task; 0 = none", at_least(0)},
      {"request.steps", &o.request_steps, "length of a step that has a request but no images",
       at_least(1)},
  };
}

Fields config_fields(EvalOptions& o) {
  return {
      {"eval.every",
       &o.every,
       "when to evaluate: at task ends, or after every epoch as well",
       {},
       {"task", "epoch"}},
      {"eval.split",
       &o.split,
       "what to evaluate on; auto = val if data.val_fraction > 0, else test",
       {},
       {"auto", "test", "val"}},
      {"eval.batch", &o.batch,
       "images in a pass of the evaluation; auto = 256, for masks as many as have 256 x 64 x 64 "
       "pixels",
       at_least(1)},
  };
}

}  // namespace lethe
