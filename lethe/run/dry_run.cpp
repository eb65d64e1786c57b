// Implements `lethe run --dry-run`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "lethe/core/error.h"
#include "lethe/core/progress.h"
#include "lethe/core/signals.h"
#include "lethe/core/text.h"
#include "lethe/method/statistics_keeper.h"
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

constexpr double kMebi = 1024.0 * 1024.0;

int64_t bytes_of(const Network& network) {
  int64_t bytes = 0;
  for (const auto& [name, tensor] : named_state(network))
    bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

// Class statistics of all classes of the stream.
int64_t statistics_bytes(const Experiment& experiment, const RunConfig& config) {
  const auto& info = experiment.data.train->info();
  if (!config.method_recipe().has("method.statistics") ||
      !config.method_groups.get<StatisticsOptions>().keep)
    return 0;
  auto network = experiment.network->skeleton();
  network->add_classes(1, 0);
  network->eval();
  const at::NoGradGuard no_grad;
  std::vector<int64_t> widths;
  for (const auto& stage :
       network->forward_stages(torch::zeros({1, info.channels, info.height, info.width})).stages)
    widths.push_back(stage.size(1));
  return ClassStatistics::bytes_for(widths) * experiment.plan->num_classes();
}

std::string epochs_and_rate(int64_t epochs, double rate) {
  return fmt::format("{}, learning rate {:.6g}", counted(epochs, "epoch"), rate);
}

std::string training_text(const TrainOptions& train, bool has_later_tasks) {
  auto text = fmt::format("batches of {}; first task: {}", counted(train.batch_size(), "image"),
                          epochs_and_rate(train.epochs_of(1), *train.lr));
  if (has_later_tasks)
    text += fmt::format("; later tasks: {}", epochs_and_rate(train.epochs_of(2), *train.lr_next));
  if (train.max_steps > 0)
    text += fmt::format("; at most {} per task", counted(train.max_steps, "step"));
  return text;
}

std::string augmentation_text(const Augmentation& augmentation) {
  std::vector<std::string> parts;
  switch (augmentation.crop) {
    case Crop::kPad:
      if (augmentation.pad > 0)
        parts.push_back(
            fmt::format("random crop after padding by {}", counted(augmentation.pad, "pixel")));
      break;
    case Crop::kResized:
      parts.emplace_back("random resized crop");
      break;
    case Crop::kArea:
      parts.emplace_back("random resized crop of at least half the area");
      break;
    case Crop::kScale:
      parts.emplace_back("random scaling and crop");
      break;
  }
  if (augmentation.flip) parts.emplace_back("horizontal flip");
  if (augmentation.rotation > 0)
    parts.push_back(fmt::format("rotation by up to {} degrees", augmentation.rotation));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

// The learning settings after every "auto" is replaced.
std::string settings_text(const Experiment& experiment, const RunConfig& config, int64_t bytes) {
  const auto& info = experiment.data.train->info();
  return fmt::format(
      "dataset       {} ({} training, {})\n"
      "input         {}x{} pixels\n"
      "augmentation  {}\n"
      "model         {}, width {}, {} stem, {:.1f} MiB\n"
      "method        {}\n"
      "training      {}\n{}",
      config.data.name, experiment.data.train->size(),
      counted(experiment.eval->size(), "evaluation image"), info.width, info.height,
      augmentation_text(augmentation_of(config, info)), config.model.name, *config.model.width,
      config.model.stem, static_cast<double>(bytes) / kMebi, config.method,
      training_text(config.train, experiment.plan->tasks().size() > 1),
      find_dataset(config.data.name).own_images
          ? "              Input size, augmentation, width, epochs, batch size and learning rate "
            "follow from the\n"
            "              number and size of your images, except those that you set.\n"
          : "");
}

// What the method can do for the requests of an event. Throws ConfigError if it can do nothing.
std::string request_text(const Task& task, const Experiment& experiment, const RunConfig& config) {
  const auto& plan = *experiment.plan;
  const auto classes = plan.short_names(task.requested);
  if (task.has_images()) {
    const bool acts = experiment.method->uses_forget_set();
    return fmt::format(
        "request       {}, while task {} is learned: {}\n", classes, task.number,
        acts ? "the method acts on it"
             : "the method ignores requests; the class only fades as new ones are learned");
  }
  const auto from = config.method_recipe().without_images(config.method_groups);
  if (from == WithoutImages::kNothing)
    throw_error<ConfigError>(
        "the request to forget {} is due after the last task, without images, but method '{}' "
        "needs "
        "images: use `lethe forget --data` after the run, or a method that needs none: {}",
        classes, config.method,
        fmt::join(
            MethodRegistry::builtin().names_without_images(experiment.data.train->info().problem),
            ", "));
  return fmt::format(
      "request       {}, after the last task, without images: the method works from its {}\n",
      classes, name_of(from));
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
  bool all_happen = true;  // without images, the method may have nothing to do
  std::string requests;
  const auto steps_per_task = trainer.steps_per_task();
  for (const auto& task : plan.tasks()) {
    const auto own = steps_per_task.at(static_cast<size_t>(task.number - 1));
    steps += own;
    all_happen = all_happen && task.has_images();
    if (!task.requested.empty()) requests += request_text(task, experiment, config);
    rows.push_back({std::to_string(task.number), plan.short_names(task.new_classes),
                    plan.short_names(task.requested),
                    std::to_string(plan.train_samples(*experiment.data.train, task).size()),
                    fmt::format("{}{}", task.has_images() ? "" : "up to ", own)});
  }
  const double step = seconds_per_step(experiment, config);
  const int64_t model = bytes_of(*experiment.network);
  const int64_t statistics = statistics_bytes(experiment, config);
  const auto versions = most_versions(config.keep, static_cast<int64_t>(plan.tasks().size()));
  return fmt::format(
      "{}run           {}\n\n{}\n{}"
      "time          about {}: {}{} of {:.0f} ms, one pass per step; methods with more passes take "
      "longer\n"
      "disk          about {:.0f} MiB ({} of the model{}, one partial checkpoint)\n",
      settings_text(experiment, config, model), options.out.string(),
      markdown_table({"task", "learns", "forgets", "images", "steps"}, rows), requests,
      duration_text(step * static_cast<double>(steps)), all_happen ? "" : "up to ",
      counted(steps, "step"), 1000 * step,
      // A partial checkpoint has the model and the optimiser.
      static_cast<double>(model * (versions + 2) + statistics * (versions + 1)) / kMebi,
      counted(versions, "version"), statistics > 0 ? " with class statistics" : "");
}

}  // namespace lethe
