#include "lethe/run/experiment.h"

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/safetensors.h"
#include "lethe/model/load_weights.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

torch::Device choose_device(const std::string& name) {
  const bool cuda = torch::cuda::is_available();
  if (name == "cuda" && !cuda)
    throw ConfigError("train.device = \"cuda\": there is no CUDA device here");
  return name == "cuda" || (name == "auto" && cuda) ? torch::Device(torch::kCUDA)
                                                    : torch::Device(torch::kCPU);
}

}  // namespace

Experiment make_experiment(RunConfig& config) {
  const auto device = choose_device(config.train.device);
  Experiment made;
  made.data = load_data(config.data);
  const auto& info = made.data.train->info();
  resolve(config, info);
  config.train.device = device.is_cuda() ? "cuda" : "cpu";
  made.plan = std::make_unique<TaskPlan>(config.stream, info);
  made.eval = config.eval.split == "val" ? made.data.val : made.data.test;
  made.network =
      make_network(config.model, info.channels, static_cast<uint64_t>(config.train.seed));
  if (!config.model.pretrained.empty()) {
    const auto report = load_weights(*made.network, read_safetensors(config.model.pretrained),
                                     config.model.pretrained);
    log_info("{}", summary(report, config.model.pretrained));
  }
  made.network->to(device);
  made.method = config.method_entry().make(config.method_groups);
  return made;
}

TrainerParts trainer_parts(const Experiment& experiment, const RunConfig& config,
                           const std::filesystem::path& run) {
  return {.plan = *experiment.plan,
          .train = experiment.data.train,
          .eval = experiment.eval,
          .augmentation = resolve(config.aug, find_dataset(config.data.name)),
          .network = experiment.network,
          .method = *experiment.method,
          .loader_threads = static_cast<int>(config.data.threads),
          .run = run};
}

}  // namespace lethe
