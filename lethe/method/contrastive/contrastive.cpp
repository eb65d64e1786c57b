#include "lethe/method/contrastive/contrastive.h"

#include <fmt/format.h>

#include "lethe/model/cosine_head.h"
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

}  // namespace

PrototypeOptions prototype_options(const ContrastiveOptions& o) {
  return {.update = o.proto_update == "iteration" ? PrototypeUpdate::kIteration
                    : o.proto_update == "ema"     ? PrototypeUpdate::kEma
                                                  : PrototypeUpdate::kPixelCount,
          .momentum = o.proto_momentum};
}

Contrastive::Contrastive(const ContrastiveOptions& options)
    : options_(options), loss_(loss_options(options)), bank_(prototype_options(options)) {}

void Contrastive::begin_task(const Task&, Learner& learner) {
  const auto tensors = learner.network.parameters().front().options();
  if (!projections_.made()) {
    projections_.make(learner.network.feature_dim(),
                      {.depth = projection_depth(options_),
                       .kernel = options_.proj_kernel,
                       .trainable = options_.proj_trainable},
                      learner.seed, tensors.requires_grad(false));
    projections_.load(loaded_projections_);
    loaded_projections_.clear();
  }
  device_ = learner.network.device();
  bank_.to(device_);
  old_known_ = bank_.classes();
  epoch_ = -1;
}

at::Tensor Contrastive::as_used(const at::Tensor& features) const {
  return *options_.features_l2norm ? unit_rows(features) : features;
}

bool Contrastive::enters_epoch(const Step& step) {
  const bool enters = step.epoch() != epoch_;
  epoch_ = step.epoch();
  return enters;
}

bool Contrastive::needs_kept() const {
  return *options_.w_pc > 0 || *options_.lambda_p * (options_.w_in_p + options_.w_ex_p) > 0;
}

bool Contrastive::needs_forgotten() const {
  const bool partner = options_.ex_p_partner == "all" && *options_.lambda_p * options_.w_ex_p > 0;
  const bool held = options_.pc_classes == "all_old" && *options_.w_pc > 0;
  return *options_.lambda_d * (options_.w_in_d + options_.w_ex_d) > 0 || partner || held;
}

at::Tensor Contrastive::dispersion(Step&, const ClassGroups& forgotten) {
  const auto prototypes = bank_.of(forgotten.classes);
  auto sum = at::zeros({}, forgotten.features.options());
  for (const auto& name : options_.spaces) {
    const auto space = space_index(name);
    auto projected = forgotten;
    projected.features = projections_.of_rows(forgotten.features, space);
    sum = sum + dispersion_loss(projected, projections_.of_rows(prototypes, space), loss_);
  }
  return sum;
}

LossTerms Contrastive::losses(Step& step) {
  update_prototypes(step);
  if (!step.has_old() && !options_.first_task_terms) return {};
  const auto seen = observe(step);
  return seen ? terms(step, *seen) : LossTerms{};
}

LossTerms Contrastive::terms(Step& step, const Observed& seen) {
  const auto& task = step.task();
  const ClassSet ground = this->ground();
  const ClassSet stay =
      (task.kept | task.new_classes) - (options_.bg_in_keep ? ClassSet{} : ground);
  // Without a prototype background has nothing to be drawn to.
  const ClassSet known_ground = options_.proto_background ? ground : ClassSet{};
  const ClassSet kept = stay & (old_known_ | task.new_classes | known_ground);
  const ClassSet forgotten = task.forgotten & old_known_;
  const double lambda_p = *options_.lambda_p;
  const double lambda_d = *options_.lambda_d;

  LossTerms terms;
  const auto add = [&](const char* name, double weight, const auto& value) {
    if (weight > 0) terms.push_back({name, value(), weight});
  };
  if (task.has_images()) {
    add("in_p", lambda_p * options_.w_in_p, [&] {
      const auto rows = select(seen.rows, kept);
      return attraction_loss(rows, bank_.of(rows.classes), loss_);
    });
    add("ex_p", lambda_p * options_.w_ex_p, [&] {
      const auto among = options_.ex_p_partner == "all"
                             ? at::arange(seen.classes.size(0), seen.classes.options())
                             : is_in(seen.classes, stay).nonzero().squeeze(1);
      return separation_loss(
          seen.means.index_select(0, among), is_in(seen.classes.index_select(0, among), stay),
          options_.ex_p_reduce == "pairs" ? PairReduce::kPairs : PairReduce::kPrinted,
          options_.dist_floor);
    });
    if (step.has_old()) {
      add("pc", *options_.w_pc, [&] {
        const auto held =
            (options_.pc_classes == "all_old" ? old_known_ : task.kept & old_known_) - ground;
        const auto among = is_in(seen.classes, held).nonzero().squeeze(1);
        return prototype_loss(seen.means.index_select(0, among),
                              bank_.of(seen.classes.index_select(0, among)), loss_.distance);
      });
    }
  }
  if (!forgotten.empty()) {
    const auto rows = select(seen.rows, forgotten);
    add("in_d", lambda_d * options_.w_in_d, [&] { return dispersion(step, rows); });
    if (!(ground & bank_.classes()).empty()) {
      add("ex_d", lambda_d * options_.w_ex_d, [&] {
        const auto background = at::zeros({1}, rows.classes.options());
        return background_loss(rows, bank_.of(background).squeeze(0), loss_);
      });
    }
  }
  return terms;
}

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
                         options_.proto_window, *options_.features_l2norm);
  if (options_.first_task_terms) {
    key += fmt::format(" terms {} {} {} {} {} {} {} {} {} {}", *options_.lambda_p, options_.w_in_p,
                       options_.w_ex_p, options_.distance, options_.pixel_reduce,
                       options_.ex_p_reduce, options_.cls_mixed_features, options_.dist_floor,
                       options_.bg_in_keep, options_.ex_p_partner);
  }
  // The projections are in the state, and weight decay acts on them.
  return key + fmt::format(" projections {} {} {}", projection_depth(options_),
                           options_.proj_trainable, options_.proj_kernel);
}

}  // namespace lethe
