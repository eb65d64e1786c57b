#include "lethe/method/sdr.h"

#include "lethe/features/pixels.h"
#include "lethe/losses/contrastive.h"
#include "lethe/losses/sparsity.h"
#include "lethe/method/mask_step.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr ClassId kBackground = 0;
constexpr double kFloor = 1e-2;
constexpr ContrastiveLossOptions kMse = {.distance = Distance::kMse};

}  // namespace

Fields config_fields(SdrOptions& o) {
  return {
      after_first_task(
          {"method.sdr.w_matching", &o.w_matching,
           "weight of prototype matching: keeps features of old classes at their prototypes",
           at_least(0)}),
      after_first_task({"method.sdr.w_clustering", &o.w_clustering,
                        "weight of clustering: pulls features towards the prototype of their class",
                        at_least(0)}),
      after_first_task({"method.sdr.w_separation", &o.w_separation,
                        "weight of the separation of class means", at_least(0)}),
      after_first_task(
          {"method.sdr.w_sparsity", &o.w_sparsity, "weight of feature sparsity", at_least(0)}),
      {"method.sdr.background", &o.background,
       "include background in clustering, separation and sparsity, with its own prototype"},
  };
}

void Sdr::begin_task(const Task&, Learner& learner) {
  device_ = learner.network.device();
  bank_.to(device_);
}

// Background is where neither the task nor the old model has an object.
Sdr::Pixels Sdr::pixels(Step& step) const {
  const auto& map = step.student(step.batch().images).features;
  const auto all = group_pixels(map, pixel_labels(step), GroupScope::kBatch);
  ClassSet classes = step.task().new_classes;
  if (options_.background) classes = classes | ClassSet{kBackground};
  return {.all = all, .of_task = select(all, classes)};
}

void Sdr::update(Step& step) {
  if (!step.task().has_images()) return;
  step.student(step.batch().images);  // outside the guard: losses() need its gradient
  const at::NoGradGuard no_grad;
  bank_.update(pixels(step).of_task);
}

LossTerms Sdr::losses(Step& step) {
  const auto& task = step.task();
  if (!task.has_images() || !step.has_old()) return {};
  const auto rows = pixels(step);
  const auto& all = rows.all;
  const auto& current = rows.of_task;
  ClassSet held = task.kept - ClassSet{kBackground};
  if (classes_ == OldClasses::kAll) held = held | task.forgotten;
  LossTerms terms;
  const auto add = [&](const char* name, double weight, const auto& value) {
    if (weight > 0) terms.push_back({name, value(), weight});
  };
  add("matching", options_.w_matching, [&] {
    const auto old = select(all, held & bank_.classes());
    return prototype_loss(old.means(), bank_.of(old.classes), Distance::kMse);
  });
  add("clustering", options_.w_clustering,
      [&] { return attraction_loss(current, bank_.of(current.classes), kMse); });
  add("separation", options_.w_separation, [&] {
    const auto everyone = at::ones({current.size()}, current.classes.options().dtype(at::kBool));
    return separation_loss(current.means(), everyone, PairReduce::kPairs, kFloor);
  });
  add("sparsity", options_.w_sparsity, [&] { return sparsity_loss(current); });
  return terms;
}

void Sdr::load(const StateDict& state) {
  bank_.load(state);
  bank_.to(device_);
}

std::vector<StateEntry> Sdr::state_of(ClassId id) const {
  if (!bank_.has(id)) return {};
  return {{"prototype", bank_.bytes_of(id)}};
}

PartRecipe sdr_part(OldClasses classes) {
  auto part = make_part<SdrOptions>("sdr", [classes](const OptionGroups& o, SharedObjects&) {
    return std::make_unique<Sdr>(o.get<SdrOptions>(), classes);
  });
  part.compares_classes = true;
  return part;
}

}  // namespace lethe
