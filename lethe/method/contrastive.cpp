#include "lethe/method/contrastive.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/model/cosine_head.h"
#include "lethe/model/init.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

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

void Projections::make(int64_t dim, size_t depth, uint64_t seed, const at::TensorOptions& options,
                       bool trainable) {
  made_ = true;
  weights_.clear();
  for (size_t i = 1; i <= depth; ++i, dim /= 2) {
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
    : options_(options),
      loss_(loss_options(options)),
      codes_(std::move(codes)),
      bank_(prototype_options(options)) {}

void Contrastive::begin_task(const Task&, Learner& learner) {
  const auto options = learner.network.parameters().front().options();
  if (!projections_.made()) {
    projections_.make(learner.network.feature_dim(), projection_depth(options_), learner.seed,
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
  return options_.features_l2norm ? unit_rows(features) : features;
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
    weights.push_back(times);
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
  const auto add = [&](const CodeBook::Draw& draw) {
    rows.add(as_used(step.student(draw.inputs, draw.statistics).features), draw.classes,
             draw.times());
  };
  const bool images = step.task().has_images();
  if (images) {
    const auto& batch = step.batch();
    add({.inputs = batch.images, .classes = batch.labels});
    if (options_.cls_mixed_features) add({.inputs = codes_->mixed(step), .classes = batch.labels});
  }
  if (!step.has_old()) return rows;
  if (images && needs_kept()) {
    for (const auto& draw : codes_->kept(step)) add(draw);
  }
  if (needs_forgotten()) {
    const auto& draw = codes_->forgotten(step, options_.deleted_mix);
    if (draw.inputs.defined()) add(draw);
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
      const ClassSet stay = task.kept | task.new_classes;
      const auto groups = options_.ex_p_partner == "all" ? all : select(all, stay);
      return separation_loss(
          groups.means(), is_in(groups.classes, stay),
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
  add_part(all, "prototype.", bank_.state());
  all["epoch"] = at::tensor(std::vector<int64_t>{epoch_}, at::kLong);
  return all;
}

void Contrastive::load(const StateDict& state) {
  if (projections_.made()) {
    projections_.load(state);
  } else {
    loaded_projections_ = state;
  }
  bank_.load(part_of(state, "prototype."));
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
  return key +
         fmt::format(" projections {} {}", projection_depth(options_), options_.proj_trainable);
}

}  // namespace lethe
