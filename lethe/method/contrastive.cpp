#include "lethe/method/contrastive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"
#include "lethe/model/init.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// What "auto" means: methods.md 7.4, and "tuned" from our own search on held-out images
// (docs/methods/contrastive.md).
struct Preset {
  const char* name;
  double lambda_p, lambda_d, w_pc, cls_sf;
  const char* distance;
  const char* pixel_reduce;
  const char* ex_p_reduce;
  const char* proto_update;
};
constexpr std::array<Preset, 4> kPresets = {{
    {"tuned", 0.01, 10, 0.1, 10, "l2", "mean", "printed", "pixel_count"},
    {"print", 0.001, 0.001, 1, 0, "l2", "sum", "printed", "iteration"},
    {"sdr_like", 0.001, 0.001, 0.01, 0, "mse", "mean", "pairs", "pixel_count"},
    {"lwf_base", 0.001, 0.001, 0.01, 0, "mse", "mean", "pairs", "pixel_count"},
}};
constexpr std::array<const char*, 3> kSpaces = {"F", "F*", "F**"};

size_t space_index(const std::string& name) {
  const auto* found = std::find(kSpaces.begin(), kSpaces.end(), name);
  if (found == kSpaces.end())
    throw_error<ConfigError>("method.contrastive.spaces: '{}' is none of F, F*, F**", name);
  return static_cast<size_t>(found - kSpaces.begin());
}

ContrastiveLossOptions loss_options(const ContrastiveOptions& o) {
  return {.distance = o.distance == "l2"    ? Distance::kL2
                      : o.distance == "mse" ? Distance::kMse
                                            : Distance::kFrobenius,
          .reduce = o.pixel_reduce == "sum" ? RowReduce::kSum : RowReduce::kMean,
          .inverse = o.inv_mode == "per_class" ? Inverse::kPerClass : Inverse::kPerRow,
          .floor = o.dist_floor};
}

PrototypeOptions prototype_options(const ContrastiveOptions& o) {
  return {.update = o.proto_update == "iteration" ? PrototypeUpdate::kIteration
                    : o.proto_update == "ema"     ? PrototypeUpdate::kEma
                                                  : PrototypeUpdate::kPixelCount,
          .momentum = o.proto_momentum};
}

}  // namespace

Fields config_fields(ContrastiveOptions& o) {
  const std::string key = "method.contrastive.";
  return {
      {key + "preset",
       &o.preset,
       "what auto means below: the paper's formulas, SDR's code, LwF's base, or tuned by us",
       {},
       {"tuned", "print", "sdr_like", "lwf_base"}},
      {key + "lambda_p", &o.lambda_p, "weight of what compacts and separates kept classes",
       at_least(0)},
      {key + "lambda_d", &o.lambda_d, "weight of what disperses forgotten classes", at_least(0)},
      {key + "w_pc", &o.w_pc, "weight of prototype consistency (L_pc)", at_least(0)},
      {key + "w_in_p", &o.w_in_p, "attraction to the own prototype (L_in^p), times lambda_p",
       at_least(0)},
      {key + "w_ex_p", &o.w_ex_p, "separation of class means (L_ex^p), times lambda_p",
       at_least(0)},
      {key + "w_in_d", &o.w_in_d, "dispersion of forgotten classes (L_in^d), times lambda_d",
       at_least(0)},
      {key + "cls_sf", &o.cls_sf, "weight of L_SF on codes of kept classes; the printed sum has 0",
       at_least(0)},
      {key + "distance",
       &o.distance,
       "of features to prototypes",
       {},
       {"auto", "l2", "mse", "fro"}},
      {key + "pixel_reduce",
       &o.pixel_reduce,
       "over the rows of a class",
       {},
       {"auto", "mean", "sum"}},
      {key + "inv_mode",
       &o.inv_mode,
       "L_in^d: inverse of every row's distance, or of the class's",
       {},
       {"per_pixel", "per_class"}},
      {key + "dist_floor", &o.dist_floor, "smallest distance whose inverse is taken", above(0)},
      {key + "ex_p_reduce",
       &o.ex_p_reduce,
       "L_ex^p: sum over partners per kept class, or mean over pairs",
       {},
       {"auto", "printed", "pairs"}},
      {key + "ex_p_partner",
       &o.ex_p_partner,
       "L_ex^p: whether forgotten classes are partners",
       {},
       {"all", "no_deleted"}},
      {key + "pc_classes",
       &o.pc_classes,
       "L_pc: old classes whose prototype is held; auto = preserved",
       {},
       {"auto", "all_old", "preserved"}},
      {key + "spaces", &o.spaces, "feature spaces of L_in^d: F and its projections F*, F**"},
      {key + "proj_trainable", &o.proj_trainable, "whether the projections are trained"},
      {key + "features_l2norm", &o.features_l2norm, "features of unit length"},
      {key + "cls_mixed_features", &o.cls_mixed_features,
       "whether images mixed with codes count as samples of their class"},
      {key + "deleted_mix", &o.deleted_mix,
       "m > 0: forgotten inputs are lambda x + (1 - lambda) code with lambda ~ U[0, m]",
       between(0, 1)},
      {key + "first_task_terms", &o.first_task_terms,
       "contrastive terms in the first task as well"},
      {key + "proto_update",
       &o.proto_update,
       "how a batch enters a prototype",
       {},
       {"auto", "pixel_count", "iteration", "ema"}},
      {key + "proto_momentum", &o.proto_momentum, "of proto_update = ema", at_least_below(0, 1)},
      {key + "proto_window",
       &o.proto_window,
       "which rows a prototype holds: those of the last epoch, or all",
       {},
       {"last_epoch", "all"}},
      {key + "proto_labels_old",
       &o.proto_labels_old,
       "prototypes of old classes: frozen, or updated by the features of their codes (pseudo)",
       {},
       {"frozen", "pseudo"}},
  };
}

const std::vector<std::string>& mask_only_keys() {
  static const std::vector<std::string> keys = {"method.contrastive.w_dis",
                                                "method.contrastive.w_ex_d",
                                                "method.contrastive.ce",
                                                "method.contrastive.dis",
                                                "method.contrastive.class_scope",
                                                "method.contrastive.proj_kernel",
                                                "method.contrastive.proto_weighting",
                                                "method.contrastive.proto_background"};
  return keys;
}

void ContrastiveOptions::resolve(const DatasetInfo&) {
  for (const auto& space : spaces) space_index(space);
  const auto* found = std::find_if(kPresets.begin(), kPresets.end(),
                                   [&](const Preset& p) { return p.name == preset; });
  if (found == kPresets.end())
    throw_error<ConfigError>("method.contrastive.preset: unknown preset '{}'", preset);
  if (!lambda_p) lambda_p = found->lambda_p;
  if (!lambda_d) lambda_d = found->lambda_d;
  if (!w_pc) w_pc = found->w_pc;
  if (!cls_sf) cls_sf = found->cls_sf;
  if (distance == "auto") distance = found->distance;
  if (pixel_reduce == "auto") pixel_reduce = found->pixel_reduce;
  if (ex_p_reduce == "auto") ex_p_reduce = found->ex_p_reduce;
  if (proto_update == "auto") proto_update = found->proto_update;
  if (pc_classes == "auto") pc_classes = "preserved";
}

void Projections::make(int64_t dim, int depth, uint64_t seed, const at::TensorOptions& options,
                       bool trainable) {
  made_ = true;
  weights_.clear();
  for (int i = 1; i <= depth; ++i, dim /= 2) {
    if (dim < 2) throw_error<ConfigError>("features of {} channels cannot be halved", dim);
    weights_.push_back(at::empty({dim / 2, dim}, options));
    xavier_normal_(weights_.back(), seed, fmt::format("contrastive.projection{}", i));
    weights_.back().set_requires_grad(trainable);
  }
}

at::Tensor Projections::apply(const at::Tensor& rows, size_t space) const {
  auto projected = rows;
  for (size_t i = 0; i < space; ++i) projected = at::linear(projected, weights_.at(i));
  return projected;
}

std::vector<NamedTensor> Projections::parameters() const {
  std::vector<NamedTensor> all;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (weights_[i].requires_grad())
      all.push_back({fmt::format("projection{}", i + 1), weights_[i]});
  }
  return all;
}

StateDict Projections::state() const {
  StateDict all;
  for (size_t i = 0; i < weights_.size(); ++i)
    all[fmt::format("projection{}", i + 1)] = weights_[i].detach();
  return all;
}

void Projections::load(const StateDict& state) {
  const at::NoGradGuard no_grad;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const auto found = state.find(fmt::format("projection{}", i + 1));
    if (found != state.end()) weights_[i].copy_(found->second);
  }
}

Contrastive::Contrastive(const ContrastiveOptions& options, std::shared_ptr<CodeBook> codes)
    : options_(options), codes_(std::move(codes)) {
  options_.resolve({});
  loss_ = loss_options(options_);
  bank_ = PrototypeBank(prototype_options(options_));
}

void Contrastive::begin_task(const Task&, Learner& learner) {
  const auto options = learner.network.parameters().front().options();
  if (!projections_.made()) {
    size_t depth = 0;
    for (const auto& space : options_.spaces) depth = std::max(depth, space_index(space));
    projections_.make(learner.network.feature_dim(), static_cast<int>(depth), learner.seed,
                      options.requires_grad(false), options_.proj_trainable);
    projections_.load(loaded_projections_);
    loaded_projections_.clear();
  }
  device_ = learner.network.device();
  bank_.to(device_);
  old_known_ = bank_.classes();
  epoch_ = -1;
}

at::Tensor Contrastive::as_used(const at::Tensor& features) const {
  constexpr double kShortest = 1e-12;  // only keeps a zero vector from becoming NaN
  return options_.features_l2norm
             ? features / features.norm(2, 1, /*keepdim=*/true).clamp_min(kShortest)
             : features;
}

// p_c of a class is accumulated from its images while its task is trained, and frozen afterwards.
void Contrastive::update_prototypes(Step& step) {
  if (!step.task().has_images()) return;
  if (options_.proto_window == "last_epoch" && step.epoch() != epoch_)
    bank_.erase(step.task().new_classes);
  epoch_ = step.epoch();
  const at::NoGradGuard no_grad;
  bank_.update(group_by_class(as_used(step.student(step.batch().images).features.detach()),
                              step.batch().labels));
}

// Samples of the batch, classes as they stand in the stream.
struct Contrastive::Rows {
  std::vector<at::Tensor> features, classes, weights;

  void add(const at::Tensor& some, const at::Tensor& of, const at::Tensor& times) {
    features.push_back(some);
    classes.push_back(of);
    weights.push_back(times.defined() ? times : at::ones({some.size(0)}, some.options()));
  }
  ClassGroups group() const {
    return group_by_class(at::cat(features), at::cat(classes), at::cat(weights));
  }
};

bool Contrastive::needs_kept() const {
  return *options_.w_pc > 0 || *options_.lambda_p * (options_.w_in_p + options_.w_ex_p) > 0;
}

bool Contrastive::needs_forgotten() const {
  const bool partner = options_.ex_p_partner == "all" && *options_.lambda_p * options_.w_ex_p > 0;
  const bool held = options_.pc_classes == "all_old" && *options_.w_pc > 0;
  return *options_.lambda_d * options_.w_in_d > 0 || partner || held;
}

Contrastive::Rows Contrastive::rows_of(Step& step) {
  Rows rows;
  const auto add = [&](const at::Tensor& input, const at::Tensor& classes,
                       const at::Tensor& weights, Statistics statistics) {
    rows.add(as_used(step.student(input, statistics).features), classes, weights);
  };
  const bool images = step.task().has_images();
  if (images) {
    const auto& batch = step.batch();
    add(batch.images, batch.labels, {}, Statistics::kBatch);
    if (options_.cls_mixed_features) add(codes_->mixed(step), batch.labels, {}, Statistics::kBatch);
  }
  if (!step.has_old()) return rows;
  if (images && needs_kept()) {
    for (const auto& draw : codes_->kept(step))
      add(draw.inputs, draw.classes, draw.weights, draw.statistics);
  }
  if (needs_forgotten()) {
    const auto& draw = codes_->forgotten(step, options_.deleted_mix);
    if (draw.inputs.defined()) add(draw.inputs, draw.classes, draw.weights, draw.statistics);
  }
  return rows;
}

// L_in^d = sum over the spaces F, F*, F** of the same loss.
at::Tensor Contrastive::dispersion(const ClassGroups& groups) const {
  const auto prototypes = bank_.of(groups.classes);
  auto sum = at::zeros({}, groups.features.options());
  for (const auto& name : options_.spaces) {
    const auto space = space_index(name);
    auto projected = groups;
    projected.features = projections_.apply(groups.features, space);
    sum = sum + dispersion_loss(projected, projections_.apply(prototypes, space), loss_);
  }
  return sum;
}

LossTerms Contrastive::losses(Step& step) {
  update_prototypes(step);
  if (!step.has_old() && !options_.first_task_terms) return {};
  const auto rows = rows_of(step);
  if (rows.features.empty()) return {};
  const auto& task = step.task();
  const auto all = rows.group();
  const ClassSet kept = (task.kept & old_known_) | task.new_classes;
  const ClassSet forgotten = task.forgotten & old_known_;
  const bool images = task.has_images();

  LossTerms terms;
  const auto add = [&](const char* name, double weight, const auto& value) {
    if (weight > 0) terms.push_back({name, value(), weight});
  };
  if (images) {
    add("in_p", *options_.lambda_p * options_.w_in_p, [&] {
      const auto groups = select(all, kept);
      return attraction_loss(groups, bank_.of(groups.classes), loss_);
    });
    add("ex_p", *options_.lambda_p * options_.w_ex_p, [&] {
      const auto groups =
          options_.ex_p_partner == "all" ? all : select(all, task.kept | task.new_classes);
      const auto stays = at::isin(
          groups.classes,
          at::tensor((task.kept | task.new_classes).ids(), at::kLong).to(groups.classes.device()));
      return separation_loss(
          groups.means(), stays,
          options_.ex_p_reduce == "pairs" ? PairReduce::kPairs : PairReduce::kPrinted,
          options_.dist_floor);
    });
    if (step.has_old()) {
      add("pc", *options_.w_pc, [&] {
        const auto held = options_.pc_classes == "all_old" ? old_known_ : task.kept & old_known_;
        const auto groups = select(all, held);
        return prototype_loss(groups.means(), bank_.of(groups.classes), loss_.distance);
      });
    }
  }
  if (!forgotten.empty()) {
    add("in_d", *options_.lambda_d * options_.w_in_d,
        [&] { return dispersion(select(all, forgotten)); });
  }
  if (images && step.has_old() && options_.proto_labels_old == "pseudo") {
    auto still = select(all, task.kept & old_known_);
    still.features = still.features.detach();
    bank_.update(still);
  }
  return terms;
}

std::vector<NamedTensor> Contrastive::parameters() { return projections_.parameters(); }

StateDict Contrastive::state() const {
  StateDict all = projections_.state();
  for (const auto& [name, tensor] : bank_.state()) all["prototype." + name] = tensor;
  all["epoch"] = at::tensor(std::vector<int64_t>{epoch_}, at::kLong);
  return all;
}

void Contrastive::load(const StateDict& state) {
  if (projections_.made()) {
    projections_.load(state);
  } else {
    loaded_projections_ = state;
  }
  StateDict prototypes;
  const std::string prefix = "prototype.";
  for (const auto& [name, tensor] : state) {
    if (name.starts_with(prefix)) prototypes[name.substr(prefix.size())] = tensor;
  }
  bank_.load(prototypes);
  bank_.to(device_);
  if (const auto epoch = state.find("epoch"); epoch != state.end())
    epoch_ = epoch->second.item<int64_t>();
}

std::vector<StateEntry> Contrastive::state_of(ClassId id) const {
  if (!bank_.has(id)) return {};
  return {{"prototype", bank_.bytes_of(id)}};
}

void Contrastive::purge(const ClassSet& classes) {
  bank_.erase(classes);
  old_known_ = old_known_ - classes;
}

std::string Contrastive::first_task_key() const {
  auto key = fmt::format("prototypes {} {} {} {}", options_.proto_update, options_.proto_momentum,
                         options_.proto_window, options_.features_l2norm);
  if (options_.first_task_terms) {
    key += fmt::format(" terms {} {} {} {} {} {} {} {}", *options_.lambda_p, options_.w_in_p,
                       options_.w_ex_p, options_.distance, options_.pixel_reduce,
                       options_.ex_p_reduce, options_.cls_mixed_features, options_.dist_floor);
  }
  // The projections are in the state, and weight decay acts on them.
  size_t depth = 0;
  for (const auto& space : options_.spaces) depth = std::max(depth, space_index(space));
  return key + fmt::format(" projections {} {}", depth, options_.proj_trainable);
}

}  // namespace lethe
