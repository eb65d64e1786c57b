#include "lethe/method/contrastive/contrastive.h"

#include <fmt/format.h>

#include <algorithm>

#include "lethe/model/torch.h"

namespace lethe {

namespace {

std::string bank_prefix(size_t space) {
  return space == 0 ? "prototype." : fmt::format("prototype_space{}.", space);
}

// The positions of the classes (int64 [P]) that are in the set.
at::Tensor positions_in(const at::Tensor& classes, const ClassSet& set) {
  return is_in(classes, set).nonzero().squeeze(1);
}

}  // namespace

Contrastive::Contrastive(const ContrastiveSettings& settings, std::unique_ptr<RowSource> source)
    : settings_(settings),
      source_(std::move(source)),
      banks_(settings.running_spaces ? 1 + settings.projections.depth : 1,
             PrototypeBank(settings.prototypes)) {}

void Contrastive::begin_task(const Task&, Learner& learner) {
  if (!projections_.made()) {
    const auto tensors = learner.network.parameters().front().options();
    projections_.make(learner.network.feature_dim(), settings_.projections, learner.seed,
                      tensors.requires_grad(false));
  }
  device_ = learner.network.device();
  for (auto& bank : banks_) bank.to(device_);
  old_known_ = bank().classes();
  epoch_ = -1;
}

void Contrastive::update(Step& step) {
  if (!step.task().has_images()) return;
  const bool new_epoch = step.epoch() != epoch_;
  epoch_ = step.epoch();
  for (size_t space = 0; space < banks_.size(); ++space) {
    if (new_epoch && settings_.restart_every_epoch) banks_[space].erase(step.task().new_classes);
    for (const auto& rows : source_->prototype_rows(step, projections_.space(space), old_known_))
      banks_[space].update(rows);
  }
}

LossTerms Contrastive::losses(Step& step) {
  if (!step.has_old() && !settings_.first_task_terms) return {};
  const auto rows = source_->rows(step);
  if (!rows) return {};
  const auto& task = step.task();
  const auto& weights = settings_.weights;
  const auto classes = classes_of(task);

  LossTerms terms;
  const auto add = [&](const char* name, double weight, const auto& loss) {
    if (weight > 0) terms.push_back({name, loss(), weight});
  };
  if (task.has_images()) {
    add("in_p", weights.in_p, [&] { return in_p(*rows, classes); });
    add("ex_p", weights.ex_p, [&] { return ex_p(*rows, classes); });
    if (step.has_old()) add("pc", weights.pc, [&] { return pc(*rows, task); });
  }
  if (!classes.forgotten.empty()) {
    const auto forgotten = select(rows->rows, classes.forgotten);
    add("in_d", weights.in_d, [&] { return in_d(step, forgotten, classes); });
    if (has_background()) add("ex_d", weights.ex_d, [&] { return ex_d(forgotten); });
  }
  return terms;
}

Contrastive::Classes Contrastive::classes_of(const Task& task) const {
  const ClassSet background = source_->always_kept();
  Classes classes;
  classes.keep = task.kept | task.new_classes;
  if (!settings_.background_in_keep) classes.keep = classes.keep - background;
  classes.known = old_known_ | task.new_classes;
  if (settings_.background_prototype) classes.known = classes.known | background;
  classes.known = classes.known & classes.keep;
  classes.forgotten = task.forgotten & old_known_;
  return classes;
}

bool Contrastive::has_background() const {
  const auto background = source_->always_kept();
  return std::any_of(background.begin(), background.end(),
                     [&](ClassId id) { return bank().has(id); });
}

// L_in^p: kept and new classes are compact.
at::Tensor Contrastive::in_p(const StepRows& step, const Classes& classes) const {
  const auto rows = select(step.rows, classes.known);
  return attraction_loss(rows, bank().of(rows.classes), settings_.loss);
}

// L_ex^p: class means are far from each other.
at::Tensor Contrastive::ex_p(const StepRows& step, const Classes& classes) const {
  auto ids = step.classes;
  auto means = step.means;
  if (settings_.ex_p_stored) {
    const auto known = at::tensor(old_known_.ids(), ids.options());
    const auto absent = at::isin(known, ids).logical_not();
    const auto stored = known.index_select(0, absent.nonzero().squeeze(1));
    ids = at::cat({ids, stored});
    means = at::cat({means, bank().of(stored).to(means.scalar_type())});
  }
  const auto among = settings_.ex_p_forgotten ? at::arange(ids.size(0), ids.options())
                                              : positions_in(ids, classes.keep);
  return separation_loss(means.index_select(0, among),
                         is_in(ids.index_select(0, among), classes.keep), settings_.ex_p_reduce,
                         settings_.loss.floor);
}

// L_in^d: forgotten classes are dispersed, in F, F* and F**.
at::Tensor Contrastive::in_d(Step& step, const ClassGroups& forgotten,
                             const Classes& classes) const {
  auto sum = at::zeros({}, forgotten.features.options());
  for (const size_t index : settings_.spaces) {
    const auto space = projections_.space(index);
    if (settings_.running_spaces && index > 0) {
      const auto rows = select(source_->rows_in(step, space), classes.forgotten);
      if (rows.size() > 0)
        sum = sum + dispersion_loss(rows, banks_[index].of(rows.classes), settings_.loss);
    } else {
      auto rows = forgotten;  // gathered first, then projected
      rows.features = space.of(forgotten.features);
      sum = sum + dispersion_loss(rows, space.of(bank().of(forgotten.classes)), settings_.loss);
    }
  }
  return sum;
}

// L_ex^d: forgotten pixels are close to background.
at::Tensor Contrastive::ex_d(const ClassGroups& forgotten) const {
  const auto background = at::tensor(source_->always_kept().ids(), forgotten.classes.options());
  return background_loss(forgotten, bank().of(background).squeeze(0), settings_.loss);
}

// L_pc: the prototypes of old classes stay valid.
at::Tensor Contrastive::pc(const StepRows& step, const Task& task) const {
  const auto old = settings_.pc_classes == OldClasses::kAll ? old_known_ : task.kept & old_known_;
  const auto among = positions_in(step.classes, old - source_->always_kept());
  return prototype_loss(step.means.index_select(0, among),
                        bank().of(step.classes.index_select(0, among)), settings_.loss.distance);
}

StateDict Contrastive::state() const {
  StateDict all = projections_.state();
  for (size_t space = 0; space < banks_.size(); ++space)
    add_part(all, bank_prefix(space), banks_[space].state());
  all["epoch"] = at::tensor(std::vector<int64_t>{epoch_}, at::kLong);
  return all;
}

void Contrastive::load(const StateDict& state) {
  projections_.load(state);
  for (size_t space = 0; space < banks_.size(); ++space) {
    banks_[space].load(part_of(state, bank_prefix(space)));
    banks_[space].to(device_);
  }
  if (const auto epoch = state.find("epoch"); epoch != state.end())
    epoch_ = epoch->second.item<int64_t>();
}

std::vector<StateEntry> Contrastive::state_of(ClassId id) const {
  std::vector<StateEntry> all;
  for (size_t space = 0; space < banks_.size(); ++space) {
    if (!banks_[space].has(id)) continue;
    const auto name = space == 0 ? "prototype" : fmt::format("prototype in space {}", space);
    all.push_back({name, banks_[space].bytes_of(id)});
  }
  return all;
}

void Contrastive::purge(const ClassSet& classes) {
  for (auto& bank : banks_) bank.erase(classes);
  old_known_ = old_known_ - classes;
}

}  // namespace lethe
