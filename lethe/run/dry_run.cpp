// Implements `lethe run --dry-run`.

#include <algorithm>
#include <chrono>

#include "lethe/core/error.h"
#include "lethe/core/progress.h"
#include "lethe/core/signals.h"
#include "lethe/model/torch.h"
#include "lethe/report/table.h"
#include "lethe/run/experiment.h"
#include "lethe/run/runner.h"

namespace lethe {

namespace {

// Seconds of one training step, estimated from passes over random images. The number of images
// grows until a pass takes about a second, up to the batch size: large networks need minutes and
// gigabytes for a whole batch.
double seconds_per_step(const Experiment& experiment, const RunConfig& config) {
  const auto& info = experiment.data.train->info();
  auto network = experiment.network->skeleton();
  network->add_classes(10, 0);
  network->to(experiment.network->device());
  const auto seconds_of = [&](const at::Tensor& images) {
    if (stop_requested()) throw Interrupted("stopped by a signal while timing a step");
    const auto start = std::chrono::steady_clock::now();
    network->forward(images).logits.sum().backward();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const int64_t batch = config.train.batch_size();
  for (int64_t count = std::min<int64_t>(batch, 2);; count = std::min(batch, 4 * count)) {
    const auto images =
        torch::randn({count, info.channels, info.height, info.width}).to(network->device());
    seconds_of(images);  // warm-up
    double best = seconds_of(images);
    if (count < batch && best < 1) continue;
    if (count == batch) best = std::min({best, seconds_of(images), seconds_of(images)});
    return best * static_cast<double>(batch) / static_cast<double>(count);
  }
}

int64_t bytes_of(const Network& network) {
  int64_t bytes = 0;
  for (const auto& [name, tensor] : named_state(network))
    bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

}  // namespace

std::string dry_run(const RunOptions& options) {
  RunConfig config;
  configure(config, read_config(options.config, options.sets));
  const auto experiment = make_experiment(config);
  const auto& plan = *experiment.plan;
  const Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, {}), {});

  std::vector<std::vector<std::string>> rows;
  int64_t steps = 0;
  const auto steps_per_task = trainer.steps_per_task();
  for (const auto& task : plan.tasks()) {
    const auto own = steps_per_task.at(static_cast<size_t>(task.number - 1));
    steps += own;
    rows.push_back({std::to_string(task.number), plan.short_names(task.new_classes),
                    plan.short_names(task.requested),
                    std::to_string(plan.train_samples(*experiment.data.train, task).size()),
                    std::to_string(own)});
  }
  const double step = seconds_per_step(experiment, config);
  const int64_t model = bytes_of(*experiment.network);
  const double mebi = 1024.0 * 1024.0;
  return fmt::format(
      "dataset     {} ({} training, {} evaluation images, {}x{})\n"
      "model       {}, width {}, {} stem, {:.1f} MiB\n"
      "method      {}\n"
      "run         {}\n\n{}\n"
      "time        about {} for {} steps of {:.0f} ms with one pass each; methods with more passes "
      "take longer\n"
      "disk        about {:.0f} MiB (model and optimiser of {} tasks, one partial checkpoint)\n",
      config.data.name, experiment.data.train->size(), experiment.eval->size(),
      experiment.data.train->info().width, experiment.data.train->info().height, config.model.name,
      config.model.width, config.model.stem, static_cast<double>(model) / mebi, config.method,
      options.out.string(), markdown_table({"task", "learns", "forgets", "images", "steps"}, rows),
      duration_text(step * static_cast<double>(steps)), steps, 1000 * step,
      2.0 * static_cast<double>(model) * static_cast<double>(plan.tasks().size() + 1) / mebi,
      plan.tasks().size());
}

}  // namespace lethe
