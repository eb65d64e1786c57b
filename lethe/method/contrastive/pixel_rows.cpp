#include "lethe/method/contrastive/pixel_contrastive.h"

#include <fmt/format.h>

#include "lethe/core/log.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

std::string space_prefix(size_t space) { return fmt::format("prototype_space{}.", space); }

GroupScope scope_of(const std::string& name) {
  return name == "image" ? GroupScope::kImage : GroupScope::kBatch;
}

}  // namespace

bool PixelContrastive::has_running_spaces() const { return options().proj_prototype == "running"; }

void PixelContrastive::begin_task(const Task& task, Learner& learner) {
  Contrastive::begin_task(task, learner);
  names_.clear();
  for (const ClassId id : task.forgotten) names_[id] = learner.plan.class_name(id);
  seen_ = at::zeros({kVoid + 1}, at::TensorOptions(device()).dtype(at::kLong));
  if (!has_running_spaces()) return;
  for (size_t space = 1; space <= projection_depth(options()); ++space)
    spaces_.try_emplace(space, prototype_options(options())).first->second.to(device());
}

void PixelContrastive::end_task(const Task& task, Learner& learner) {
  for (const auto& remark : remarks(task, learner.plan)) log_warning("{}", remark);
  seen_.reset();
  Contrastive::end_task(task, learner);
}

std::vector<std::string> PixelContrastive::remarks(const Task& task, const TaskPlan& plan) const {
  if (!task.has_images()) return {};  // the ledger says so itself
  std::vector<ClassId> unseen;
  for (const ClassId id : task.requested) {
    if (seen_[id].item<int64_t>() == 0) unseen.push_back(id);
  }
  if (unseen.empty()) return {};
  return {
      fmt::format("no image of task {} showed '{}' to the old model: the contrastive terms had "
                  "nothing of it to disperse",
                  task.number, plan.names(ClassSet(unseen)))};
}

at::Tensor PixelContrastive::map_of(Step& step) const {
  return as_used(step.student(step.batch().images).features);
}

at::Tensor PixelContrastive::labels_of(Step& step) const {
  const auto& batch = step.batch();
  const auto& map = step.student(batch.images).features;
  return pseudo_labels_at(batch.labels,
                          step.has_old() ? step.old(batch.images).logits : at::Tensor(),
                          map.size(2), map.size(3), options().pseudo_threshold);
}

// Which classes a batch may move: not those that must go, which would draw their prototype with
// them, and old ones only if their pseudo labels are trusted.
void PixelContrastive::update_prototypes(Step& step) {
  if (!step.task().has_images()) return;
  const at::NoGradGuard no_grad;
  const auto& task = step.task();
  if (enters_epoch(step) && options().proto_window == "last_epoch") {
    bank().erase(task.new_classes);
    for (auto& [space, bank] : spaces_) bank.erase(task.new_classes);
  }
  ClassSet moved = task.new_classes;
  if (options().proto_labels_old == "pseudo") moved = moved | (task.kept - ground());
  if (options().proto_background) moved = moved | ground();
  const auto map = map_of(step).detach();
  const auto labels = labels_of(step);
  const auto scope = scope_of(options().proto_weighting);
  bank().update(select(group_pixels(map, labels, scope), moved));
  for (auto& [space, bank] : spaces_)
    bank.update(select(group_pixels(projections().of_map(map, space), labels, scope), moved));
}

std::optional<Contrastive::Observed> PixelContrastive::observe(Step& step) {
  if (!step.task().has_images()) return std::nullopt;
  const auto map = map_of(step);
  const auto labels = labels_of(step);
  log_forgotten(step, labels);
  auto rows = group_pixels(map, labels, scope_of(options().class_scope));
  const bool by_image = options().proto_weighting == "image";
  const bool same = by_image == rows.images.defined();
  const auto groups = same ? rows : group_pixels(map, labels, scope_of(options().proto_weighting));
  if (!by_image)
    return Observed{.rows = std::move(rows), .classes = groups.classes, .means = groups.means()};
  const auto votes = group_by_class(groups.means(), groups.classes);
  return Observed{.rows = std::move(rows), .classes = votes.classes, .means = votes.means()};
}

at::Tensor PixelContrastive::dispersion(Step& step, const ClassGroups& forgotten) {
  if (!has_running_spaces()) return Contrastive::dispersion(step, forgotten);
  const auto labels = labels_of(step);
  const auto scope = scope_of(options().class_scope);
  const ClassSet classes = step.task().forgotten & old_known();
  auto sum = at::zeros({}, forgotten.features.options());
  for (const auto& name : options().spaces) {
    const auto space = space_index(name);
    if (space == 0) {
      sum = sum + dispersion_loss(forgotten, bank().of(forgotten.classes), loss());
      continue;
    }
    const auto rows =
        select(group_pixels(projections().of_map(map_of(step), space), labels, scope), classes);
    if (rows.size() > 0)
      sum = sum + dispersion_loss(rows, spaces_.at(space).of(rows.classes), loss());
  }
  return sum;
}

// How much of each class there was to disperse: without pixels nothing can be forgotten.
void PixelContrastive::log_forgotten(Step& step, const at::Tensor& labels) {
  const auto counts = at::bincount(labels.flatten(), {}, kVoid + 1);
  seen_.add_(counts);
  for (const auto& [id, name] : names_)
    step.note(fmt::format("forgotten_pixels.{}", name), counts[id]);
}

StateDict PixelContrastive::state() const {
  auto all = Contrastive::state();
  for (const auto& [space, bank] : spaces_) add_part(all, space_prefix(space), bank.state());
  if (seen_.defined()) all["seen"] = seen_;
  return all;
}

void PixelContrastive::load(const StateDict& state) {
  Contrastive::load(state);
  if (const auto seen = state.find("seen"); seen != state.end()) seen_ = seen->second.to(device());
  if (!has_running_spaces()) return;
  for (size_t space = 1; space <= projection_depth(options()); ++space) {
    auto& bank = spaces_.try_emplace(space, prototype_options(options())).first->second;
    bank.load(part_of(state, space_prefix(space)));
    bank.to(device());
  }
}

std::vector<StateEntry> PixelContrastive::state_of(ClassId id) const {
  auto all = Contrastive::state_of(id);
  for (const auto& [space, bank] : spaces_) {
    if (bank.has(id))
      all.push_back({fmt::format("prototype in space {}", space), bank.bytes_of(id)});
  }
  return all;
}

void PixelContrastive::purge(const ClassSet& classes) {
  Contrastive::purge(classes);
  for (auto& [space, bank] : spaces_) bank.erase(classes);
}

std::string PixelContrastive::first_task_key() const {
  return Contrastive::first_task_key() +
         fmt::format(" pixels {} {} {} {}", options().proto_weighting, options().proto_background,
                     options().proj_prototype,
                     options().first_task_terms ? options().class_scope : "");
}

}  // namespace lethe
