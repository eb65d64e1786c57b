#include "lethe/run/experiment.h"

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/text.h"
#include "lethe/data/load_data.h"
#include "lethe/data/normalize.h"
#include "lethe/data/relabelled.h"
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

struct AddedImages {
  DatasetPtr train, test;
  DatasetPtr unlabelled;  // training images of classes that the run does not know; null = none
};

// The images of an added event, with the sizes, constants and labels of the run.
AddedImages open_added(const AddedEvent& added, const DatasetInfo& info,
                       const std::vector<std::string>& names) {
  auto options = data_options(added);
  const bool masks = info.problem == Problem::kMasks;
  auto& side = masks ? options.crop : options.size;
  const bool reads_side = find_dataset(options.name).reads(masks ? "data.crop" : "data.size");
  if (side == 0 && reads_side) side = info.height;
  auto data = load_data(options);
  const auto& own = data.train->info();
  const auto& source = options.root.empty() ? options.name : options.root;
  if (own.problem != info.problem)
    throw_error<ConfigError>("{}: is a dataset for {}, the run is for {}", source,
                             name_of(own.problem), name_of(info.problem));
  if (own.channels != info.channels || own.height != info.height || own.width != info.width)
    throw_error<ConfigError>("{}: its images are {}x{} with {}, those of the run are {}x{} with {}",
                             source, own.width, own.height, counted(own.channels, "channel"),
                             info.width, info.height, counted(info.channels, "channel"));
  const auto fitted = [&](const DatasetPtr& part) {
    return with_constants_of(info, relabelled(part, names));
  };
  AddedImages images{.train = fitted(data.train), .test = fitted(data.test), .unlabelled = nullptr};
  if (!masks && added.event.kind == EventKind::kForget) {
    if (const auto others = unlisted(data.train, names))
      images.unlabelled = with_constants_of(info, others);
  }
  return images;
}

// A part of the dataset: the classes that are in the list, with the labels of all names.
DatasetPtr only(const std::vector<std::string>& classes, const DatasetPtr& dataset) {
  const auto& names = dataset->info().class_names;
  std::vector<int64_t> samples;
  for (int64_t i = 0; i < dataset->size(); ++i) {
    const auto labels = dataset->labels_of(i);
    if (std::any_of(labels.begin(), labels.end(), [&](int64_t label) {
          return std::find(classes.begin(), classes.end(), names.at(static_cast<size_t>(label))) !=
                 classes.end();
        }))
      samples.push_back(i);
  }
  return std::make_shared<Subset>(dataset, std::move(samples));
}

// Adds the test images of classes that later events learned, and opens the images of the last
// event. A class that was learned later is evaluated on the images it came with.
void add_event_data(Experiment& made, const StreamHistory& history,
                    const std::vector<std::string>& names) {
  const auto info = made.data.train->info();
  for (const auto& added : history.added) {
    const bool is_last = &added == &history.added.back();
    const bool learns = added.event.kind == EventKind::kLearn;
    if (added.data.empty() || ((!learns || added.is_gone) && !is_last)) continue;
    const auto data = open_added(added, info, names);
    if (is_last) {
      made.event_images = data.train;
      made.unlabelled = data.unlabelled;
    }
    if (!learns) continue;
    std::vector<std::string> others;
    for (const auto& name : names) {
      const auto& own = added.event.classes;
      if (std::find(own.begin(), own.end(), name) == own.end()) others.push_back(name);
    }
    made.eval = joined({only(others, made.eval), only(added.event.classes, data.test)});
  }
}

}  // namespace

DataSplits load_and_resolve(RunConfig& config, const std::vector<std::string>& class_names) {
  auto data = load_data(config.data);
  if (!class_names.empty()) {
    data.train = relabelled(data.train, class_names);
    data.val = relabelled(data.val, class_names);
    data.test = relabelled(data.test, class_names);
  }
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

Experiment make_experiment(RunConfig& config, const StreamHistory& history) {
  if (history.last_is_new) {
    ConfigText changes;
    for (const auto& assignment : history.added.back().sets) changes.set(assignment);
    changes.apply(config.fields());
  }
  const auto device = choose_device(config.train);
  const auto names = history.all_names();
  config.stream.own_classes = static_cast<int64_t>(history.class_names.size());
  Experiment made;
  made.data = load_and_resolve(config, names);
  const auto& info = made.data.train->info();
  config.train.device = device.is_cuda() ? "cuda" : "cpu";
  config.stream.later.clear();
  for (const auto& added : history.added) config.stream.later.push_back(added.event);
  made.plan = std::make_unique<TaskPlan>(config.stream, info);
  made.eval = config.eval.split == "val" ? made.data.val : made.data.test;
  add_event_data(made, history, names);
  make_learner(made, config);
  return made;
}

void make_learner(Experiment& experiment, const RunConfig& config) {
  const auto& info = experiment.data.train->info();
  auto network =
      make_network(config.model, info.channels, static_cast<uint64_t>(config.train.seed));
  if (!config.model.pretrained.empty()) load_pretrained(*network, config.model.pretrained);
  network->to(choose_device(config.train));
  experiment.network = std::move(network);
  experiment.method = config.method_entry().recipe(info.problem).make(config.method_groups);
}

TrainerParts trainer_parts(const Experiment& experiment, const RunConfig& config,
                           const std::filesystem::path& run) {
  return {.plan = *experiment.plan,
          .train = experiment.event_images ? experiment.event_images : experiment.data.train,
          .eval = experiment.eval,
          .augmentation = augmentation_of(config, experiment.data.train->info()),
          .network = experiment.network,
          .method = *experiment.method,
          .loader_threads = static_cast<int>(config.data.threads),
          .run = run,
          .norm = first_norm(config.model),
          .norm_next = next_norm(config.model),
          .kept_images = experiment.event_images,
          .unlabelled = experiment.unlabelled};
}

}  // namespace lethe
