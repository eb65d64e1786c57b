#include "lethe/method/contrastive/forgotten_pixels.h"

#include <fmt/format.h>

#include "lethe/core/log.h"
#include "lethe/method/mask_step.h"
#include "lethe/model/torch.h"

namespace lethe {

void ForgottenPixels::begin_task(const Task& task, Learner& learner) {
  names_.clear();
  for (const ClassId id : task.forgotten) names_[id] = learner.plan.class_name(id);
  device_ = learner.network.device();
  seen_ = at::zeros({kVoid + 1}, at::TensorOptions(device_).dtype(at::kLong));
}

void ForgottenPixels::update(Step& step) {
  if (!step.task().has_images() || !step.has_old()) return;
  const auto counts = at::bincount(pixel_labels(step, pseudo_threshold_).flatten(), {}, kVoid + 1);
  seen_.add_(counts);
  for (const auto& [id, name] : names_)
    step.note(fmt::format("forgotten_pixels.{}", name), counts[id]);
}

void ForgottenPixels::end_task(const Task& task, Learner& learner) {
  for (const auto& remark : remarks(task, learner.plan)) log_warning("{}", remark);
  seen_.reset();
}

std::vector<std::string> ForgottenPixels::remarks(const Task& task, const TaskPlan& plan) const {
  if (!task.has_images()) return {};  // the ledger has its own remark for such a request
  std::vector<ClassId> unseen;
  for (const ClassId id : task.requested) {
    if (seen_[id].item<int64_t>() == 0) unseen.push_back(id);
  }
  if (unseen.empty()) return {};
  return {fmt::format(
      "the old model found '{}' in no image of task {}: the contrastive terms had nothing to "
      "disperse",
      plan.names(ClassSet(unseen)), task.number)};
}

StateDict ForgottenPixels::state() const {
  return seen_.defined() ? StateDict{{"seen", seen_}} : StateDict{};
}

void ForgottenPixels::load(const StateDict& state) {
  if (const auto seen = state.find("seen"); seen != state.end()) seen_ = seen->second.to(device_);
}

void ForgottenPixels::purge(const ClassSet& classes) {
  for (const ClassId id : classes) {
    names_.erase(id);
    if (seen_.defined()) seen_[id].zero_();
  }
}

}  // namespace lethe
