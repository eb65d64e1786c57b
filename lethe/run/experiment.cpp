#include "lethe/run/experiment.h"

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/data/load_data.h"
#include "lethe/data/normalize.h"
#include "lethe/model/load_weights.h"
#include "lethe/model/torch.h"
#include "lethe/model/weight_file.h"

namespace lethe {

namespace {

torch::Device choose_device(const TrainOptions& train) {
  const auto& name = train.device;
  const bool cuda = torch::cuda::is_available();
  if (name == "cuda" && !cuda)
    throw ConfigError("train.device = \"cuda\": no CUDA device is available");
  const bool uses_cuda = name == "cuda" || (name == "auto" && cuda);
  if (train.amp && !uses_cuda)
    throw ConfigError(
        "train.amp = true: mixed precision needs a CUDA device; this run uses the CPU");
  return uses_cuda ? torch::Device(torch::kCUDA) : torch::Device(torch::kCPU);
}

void load_pretrained(Network& network, const std::string& file) {
  const auto report = load_weights(network, read_weights(file), file);
  if (report.backbone_complete()) {
    log_info("{}", summary(report, file));
  } else {
    log_warning("{}", summary(report, file));
  }
}

}  // namespace

DataSplits load_and_resolve(RunConfig& config) {
  auto data = load_data(config.data);
  resolve(config, data.train->info(), data.train->size());
  if (config.data.normalize == "imagenet") data = with_imagenet_constants(data);
  return data;
}

void check_experiment(RunConfig& config, const DatasetInfo& info, int64_t images) {
  choose_device(config.train);
  resolve(config, info, images);
  const TaskPlan plan(config.stream, info);
  config.method_recipe().make(config.method_groups);
  const auto& weights = config.model.pretrained;
  if (!weights.empty() && !std::filesystem::exists(weights)) read_weights(weights);  // throws
}

Experiment make_experiment(RunConfig& config) {
  const auto device = choose_device(config.train);
  Experiment made;
  made.data = load_and_resolve(config);
  const auto& info = made.data.train->info();
  config.train.device = device.is_cuda() ? "cuda" : "cpu";
  made.plan = std::make_unique<TaskPlan>(config.stream, info);
  made.eval = config.eval.split == "val" ? made.data.val : made.data.test;
  made.network =
      make_network(config.model, info.channels, static_cast<uint64_t>(config.train.seed));
  if (!config.model.pretrained.empty()) load_pretrained(*made.network, config.model.pretrained);
  made.network->to(device);
  made.method = config.method_entry().recipe(info.problem).make(config.method_groups);
  return made;
}

TrainerParts trainer_parts(const Experiment& experiment, const RunConfig& config,
                           const std::filesystem::path& run) {
  return {.plan = *experiment.plan,
          .train = experiment.data.train,
          .eval = experiment.eval,
          .augmentation = augmentation_of(config, experiment.data.train->info()),
          .network = experiment.network,
          .method = *experiment.method,
          .loader_threads = static_cast<int>(config.data.threads),
          .run = run,
          .norm = first_norm(config.model),
          .norm_next = next_norm(config.model)};
}

}  // namespace lethe
