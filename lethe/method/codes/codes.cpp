#include "lethe/method/codes/codes.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "lethe/core/error.h"
#include "lethe/core/random.h"
#include "lethe/core/tensor_check.h"
#include "lethe/features/class_groups.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// Batch statistics need several distinct inputs: a single code has none.
constexpr int64_t kEnoughForStatistics = 16;

// The values of a code: 8-bit uniform noise, keyed by its class.
at::Tensor random_grid(uint64_t seed, ClassId id, int64_t channels, int64_t side) {
  Random random(seed, Purpose::kCode, static_cast<uint32_t>(id));
  auto grid = at::empty({channels, side, side}, at::kByte);
  auto* values = grid.data_ptr<uint8_t>();
  for (int64_t i = 0; i < grid.numel(); ++i) values[i] = static_cast<uint8_t>(random.next() >> 24);
  return grid;
}

uint64_t random_seed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

at::Tensor per_channel(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble).to(at::kFloat).reshape({1, -1, 1, 1});
}

const ChoiceNames<ScaleStage> kStages = {{ScaleStage::kBeforeNormalisation, "before"},
                                         {ScaleStage::kAfterNormalisation, "after"}};
const ChoiceNames<CodeSalt> kSalts = {{CodeSalt::kSeed, "seed"}, {CodeSalt::kRandom, "random"}};
const ChoiceNames<CodeStatistics> kStatistics = {{CodeStatistics::kAuto, "auto"},
                                                 {CodeStatistics::kBatch, "batch"},
                                                 {CodeStatistics::kRunning, "running"}};

}  // namespace

void CodeOptions::resolve(const DatasetInfo& info) {
  if (!grid) grid = std::max(info.height, info.width) < 128 ? 8 : 14;
  const auto side = std::min(info.height, info.width);
  if (side > 0 && *grid > side)
    throw_error<ConfigError>(
        "method.code.grid = {}: a code with that many blocks per side does not fit into {} pixels",
        *grid, side);
  if (!mix_bn_update) mix_bn_update = info.problem == Problem::kMasks;
  // The reference's values for these datasets (specification 5.7).
  if (!scale) scale = info.name == "cub200" || info.name == "cars" ? 0.1 : 1.0;
  if (!scale_stage)
    scale_stage =
        info.name == "cub200" ? ScaleStage::kAfterNormalisation : ScaleStage::kBeforeNormalisation;
}

CodeSettings CodeOptions::settings() const {
  return {.grid = grid.value(),
          .scale = scale.value(),
          .scale_stage = scale_stage.value(),
          .mix_weight = mix_weight,
          .mix_fraction = mix_fraction,
          .mix_from = mix_from,
          .bn = bn,
          .bn_forgotten = bn_forgotten,
          .bn_update = bn_update,
          .mix_bn_update = mix_bn_update.value(),
          .per_task = per_task,
          .salt = salt};
}

Fields config_fields(CodeOptions& o) {
  return {
      common({"method.code.grid", &o.grid,
              "blocks per side of a mnemonic code; auto = 8 (inputs of 128 pixels or more: 14)",
              at_least(1)}),
      {"method.code.scale", &o.scale,
       "factor applied to the values of a code; auto = 0.1 for cub200 and cars, else 1", above(0)},
      {"method.code.scale_stage", choice(&o.scale_stage, kStages),
       "apply the factor before or after normalisation; auto = after for cub200, else before"},
      after_first_task(
          {"method.code.bn", choice(&o.bn, kStatistics),
           "batch-norm statistics for forward passes over codes: batch, or running (then each "
           "distinct code is passed through the network once); auto = batch if there are at least "
           "16 distinct codes"}),
      after_first_task({"method.code.bn_forgotten", choice(&o.bn_forgotten, kStatistics),
                        "the same for forward passes over codes of forgotten classes alone: few "
                        "distinct codes make poor batch statistics"}),
      after_first_task({"method.code.bn_update", &o.bn_update,
                        "with batch statistics: whether forward passes over codes update the "
                        "running statistics, as in the reference implementation"}),
      {"method.code.mix_bn_update", &o.mix_bn_update,
       "whether forward passes over images mixed with codes update the running statistics of batch "
       "norm, as in the reference implementation; auto = no for classification, yes for "
       "segmentation"},
      {"method.code.mix_weight", &o.mix_weight,
       "weight of the loss on images mixed with codes (L_M); with 0, codes are not learned",
       at_least(0)},
      {"method.code.mix_fraction", &o.mix_fraction,
       "fraction of the images of a batch that are also shown mixed with codes (L_M)",
       between(0, 1)},
      {"method.code.mix_from", &o.mix_from,
       "begin to mix images with codes after this fraction of the epochs of a task",
       at_least_below(0, 1)},
      after_first_task({"method.code.per_task", &o.per_task,
                        "draw one batch of codes of kept classes per old task, as the reference "
                        "implementation does, instead of one batch in total"}),
      {"method.code.salt", choice(&o.salt, kSalts),
       "where codes come from: seed = train.seed and the class, so that the code of an erased "
       "class "
       "can be made again; random = random numbers of the system, stored only in the versions"},
  };
}

at::Tensor mix(const at::Tensor& images, const at::Tensor& codes, const at::Tensor& lambda) {
  require_shape("lambda", lambda, {images.size(0)});
  std::vector<int64_t> shape(static_cast<size_t>(images.dim()), 1);
  shape[0] = images.size(0);
  const auto share = lambda.reshape(shape);
  return share * images + (1 - share) * codes;
}

at::Tensor CodeBook::Draw::times() const {
  return weights.defined() ? weights : at::ones({inputs.size(0)}, inputs.options());
}

at::Tensor CodeBook::Draw::is_of(const Head& head) const {
  return (classes >= head.first) & (classes < head.first + head.count);
}

void CodeBook::begin_task(const Task& task, const Learner& learner) {
  if (learner.info == nullptr) throw Error("codes need the description of the dataset");
  info_ = *learner.info;
  device_ = learner.network.device();
  step_ = -1;
  const int64_t side = settings_.grid;
  for (const ClassId id : task.new_classes) {
    const auto rows = static_cast<int64_t>(has_.size());
    if (id >= rows) {
      const auto grids = at::zeros({id + 1, info_.channels, side, side}, at::kByte);
      if (rows > 0) grids.narrow(0, 0, rows).copy_(grids_);
      grids_ = grids;
      has_.resize(static_cast<size_t>(id) + 1, false);
    }
    const auto seed = settings_.salt == CodeSalt::kRandom ? random_seed() : learner.seed;
    grids_[id].copy_(random_grid(seed, id, info_.channels, side));
    has_[static_cast<size_t>(id)] = true;
  }
  render();
}

void CodeBook::render() {
  if (!grids_.defined() || info_.height == 0) return;
  const auto values =
      at::upsample_nearest2d(grids_.to(at::kFloat) / 255, {info_.height, info_.width});
  const bool before = settings_.scale_stage == ScaleStage::kBeforeNormalisation;
  auto images = ((before ? values * settings_.scale : values) - per_channel(info_.mean)) /
                per_channel(info_.std);
  if (!before) images = images * settings_.scale;
  images_ = images.to(device_);
}

void CodeBook::start(Step& step) {
  if (step.number() == step_ && step.part() == part_) return;
  step_ = step.number();
  part_ = step.part();
  mixed_.reset();
  kept_.reset();
  forgotten_.reset();
}

const CodeBook::Mixed* CodeBook::mixed(Step& step) {
  start(step);
  if (mixed_) return &*mixed_;
  const auto& batch = step.batch();
  if (batch.size() == 0 || step.progress() < settings_.mix_from) return nullptr;
  const auto share = settings_.mix_fraction * static_cast<double>(batch.size());
  const auto count = static_cast<int64_t>(std::ceil(share - 1e-9));
  if (count <= 0) return nullptr;
  const auto images = batch.images.narrow(0, 0, count);
  const auto labels = batch.labels.narrow(0, 0, count);
  auto random = step.random(Purpose::kMix);
  auto lambda = at::empty({count}, at::kFloat);
  for (int64_t i = 0; i < count; ++i)
    lambda.data_ptr<float>()[i] = static_cast<float>(random.uniform());
  lambda = lambda.to(images.options());
  const auto& task = step.task();
  const auto& labelled = task.learns() ? task.new_classes : task.kept;
  mixed_ = Mixed{
      .images = labels.dim() == 3
                    ? mix_pixels(images, labels, ClassSet(with_code(labelled)), lambda)
                    : mix(images, images_.index_select(0, labels), lambda),
      .labels = labels,
      .statistics = settings_.mix_bn_update ? Statistics::kBatch : Statistics::kBatchNoUpdate};
  return &*mixed_;
}

at::Tensor CodeBook::mix_pixels(const at::Tensor& images, const at::Tensor& labels,
                                const ClassSet& classes, const at::Tensor& lambda) const {
  const auto own = is_in(labels, classes);
  const auto index = labels.masked_fill(own.logical_not(), 0).unsqueeze(1).expand_as(images);
  // codes[label of the pixel, channel, row, column]
  const auto mixed = mix(images, images_.gather(0, index), lambda);
  return at::where(own.unsqueeze(1), mixed, images);
}

std::vector<ClassId> CodeBook::with_code(const ClassSet& classes) const {
  std::vector<ClassId> some;
  for (const ClassId id : classes) {
    if (has(id)) some.push_back(id);
  }
  return some;
}

Statistics CodeBook::statistics(CodeStatistics choice, int64_t distinct) const {
  const bool enough = choice == CodeStatistics::kAuto && distinct >= kEnoughForStatistics;
  if (choice != CodeStatistics::kBatch && !enough) return Statistics::kRunning;
  return settings_.bn_update ? Statistics::kBatch : Statistics::kBatchNoUpdate;
}

CodeBook::Draw CodeBook::draw(Step& step, const std::vector<ClassId>& classes,
                              CodeStatistics choice, uint32_t which) const {
  if (classes.empty()) return {};
  const auto long_tensor = [&](const std::vector<int64_t>& values) {
    return at::tensor(values, at::kLong).to(device_);
  };
  const auto count = static_cast<int64_t>(classes.size());
  const auto own = statistics(choice, count);
  std::vector<int64_t> times(classes.size(), step.batch().size() == 0 ? 1 : 0);
  std::vector<ClassId> drawn;
  auto random = step.random(Purpose::kCodeDraw, which);
  for (int64_t i = 0; i < step.batch().size(); ++i) {
    const auto at = static_cast<size_t>(random.below(count));
    drawn.push_back(classes[at]);
    ++times[at];
  }
  if (own != Statistics::kRunning && !drawn.empty()) {
    const auto ids = long_tensor(drawn);
    return {
        .inputs = images_.index_select(0, ids), .classes = ids, .weights = {}, .statistics = own};
  }
  // Without batch statistics equal inputs give equal outputs: each code runs once, and its weight
  // is how often it was drawn.
  std::vector<ClassId> distinct;
  std::vector<double> weights;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (times[i] == 0) continue;
    distinct.push_back(classes[i]);
    weights.push_back(static_cast<double>(times[i]));
  }
  const auto ids = long_tensor(distinct);
  return {.inputs = images_.index_select(0, ids),
          .classes = ids,
          .weights = at::tensor(weights, at::kDouble).to(images_.options()),
          .statistics = Statistics::kRunning};
}

const std::vector<CodeBook::Draw>& CodeBook::kept(Step& step) {
  start(step);
  if (kept_) return *kept_;
  kept_.emplace();
  const auto& classes = step.task().kept;
  const auto add = [&](const ClassSet& some, uint32_t which) {
    auto made = draw(step, with_code(some), settings_.bn, which);
    if (made.inputs.defined()) kept_->push_back(std::move(made));
  };
  if (!settings_.per_task) {
    add(classes, 0);
    return *kept_;
  }
  uint32_t which = 2;  // 0 and 1 are the draws over all tasks
  for (const auto& head : step.old_heads())
    add(classes & ClassSet::range(head.first, head.count), which++);
  return *kept_;
}

const CodeBook::Draw& CodeBook::forgotten(Step& step, double mix_up_to) {
  start(step);
  if (forgotten_) return *forgotten_;
  const auto classes = with_code(step.task().forgotten);
  const int64_t batch = step.batch().size();
  if (classes.empty() || mix_up_to <= 0 || batch == 0) {
    forgotten_ = draw(step, classes, settings_.bn_forgotten, 1);
    return *forgotten_;
  }
  auto random = step.random(Purpose::kCodeDraw, 1);
  std::vector<ClassId> drawn;
  auto lambda = at::empty({batch}, at::kFloat);
  for (int64_t i = 0; i < batch; ++i) {
    drawn.push_back(
        classes[static_cast<size_t>(random.below(static_cast<int64_t>(classes.size())))]);
    lambda.data_ptr<float>()[i] = static_cast<float>(random.uniform(0, mix_up_to));
  }
  const auto ids = at::tensor(drawn, at::kLong).to(device_);
  const auto& images = step.batch().images;
  forgotten_ =
      Draw{.inputs = mix(images, images_.index_select(0, ids), lambda.to(images.options())),
           .classes = ids,
           .weights = {},
           .statistics = statistics(settings_.bn, batch)};
  return *forgotten_;
}

bool CodeBook::has(ClassId id) const {
  return id >= 0 && id < static_cast<int64_t>(has_.size()) && has_[static_cast<size_t>(id)];
}

at::Tensor CodeBook::images_of(const std::vector<ClassId>& classes) const {
  for (const ClassId id : classes) {
    if (!has(id)) throw_error<Error>("class {} has no code", id);
  }
  return images_.index_select(0, at::tensor(classes, at::kLong).to(device_));
}

int64_t CodeBook::bytes_of(ClassId id) const { return has(id) ? grids_[id].numel() : 0; }

void CodeBook::purge(const ClassSet& classes) {
  for (const ClassId id : classes) {
    if (!has(id)) continue;
    grids_[id].zero_();
    has_[static_cast<size_t>(id)] = false;
  }
  step_ = -1;
  render();
}

StateDict CodeBook::state() const {
  if (!grids_.defined()) return {};
  auto there = at::empty({static_cast<int64_t>(has_.size())}, at::kByte);
  for (size_t i = 0; i < has_.size(); ++i) there.data_ptr<uint8_t>()[i] = has_[i] ? 1 : 0;
  return {{"grids", grids_}, {"there", there}};
}

void CodeBook::load(const StateDict& state) {
  grids_ = images_ = at::Tensor();
  has_.clear();
  step_ = -1;
  const auto grids = state.find("grids");
  const auto there = state.find("there");
  if (grids == state.end() || there == state.end()) return;
  require_shape("codes", grids->second, {kAnySize, kAnySize, kAnySize, kAnySize});
  require_shape("codes there", there->second, {grids->second.size(0)});
  grids_ = grids->second.clone();
  const auto flags = there->second.contiguous();
  for (int64_t i = 0; i < flags.size(0); ++i) has_.push_back(flags.data_ptr<uint8_t>()[i] != 0);
  render();
}

}  // namespace lethe
