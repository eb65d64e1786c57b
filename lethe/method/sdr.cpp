#include "lethe/method/sdr.h"

#include <fmt/format.h>

#include "lethe/features/pixels.h"
#include "lethe/losses/contrastive.h"
#include "lethe/losses/sparsity.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr ClassId kBackground = 0;
constexpr double kFloor = 1e-2;
constexpr ContrastiveLossOptions kMse = {.distance = Distance::kMse};

}  // namespace

Fields config_fields(SdrOptions& o) {
  return {
      {"method.sdr.w_matching", &o.w_matching,
       "old classes in the new images stay at their prototypes", at_least(0)},
      {"method.sdr.w_clustering", &o.w_clustering, "features gather at their class's prototype",
       at_least(0)},
      {"method.sdr.w_separation", &o.w_separation, "class means keep apart", at_least(0)},
      {"method.sdr.w_sparsity", &o.w_sparsity, "few channels of a feature vector are active",
       at_least(0)},
      {"method.sdr.background", &o.background,
       "background has a prototype and takes part in clustering, separation and sparsification"},
  };
}

void Sdr::begin_task(const Task&, Learner& learner) {
  device_ = learner.network.device();
  bank_.to(device_);
}

LossTerms Sdr::losses(Step& step) {
  const auto& task = step.task();
  if (!task.has_images()) return {};
  const auto& batch = step.batch();
  const auto& map = step.student(batch.images).features;
  // Background is what neither the task nor the old model takes for an object.
  const auto labels =
      pseudo_labels_at(batch.labels, step.has_old() ? step.old(batch.images).logits : at::Tensor(),
                       map.size(2), map.size(3));
  const auto all = group_pixels(map, labels, GroupScope::kBatch);
  ClassSet now = task.new_classes;
  if (options_.background) now = now | ClassSet{kBackground};
  const auto current = select(all, now);
  {
    const at::NoGradGuard no_grad;
    bank_.update(current);
  }
  if (!step.has_old()) return {};

  ClassSet held = task.kept - ClassSet{kBackground};
  if (classes_ == DistilledClasses::kAllOld) held = held | task.forgotten;
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

std::string Sdr::first_task_key() const {
  return fmt::format("sdr prototypes {}", options_.background);
}

}  // namespace lethe
