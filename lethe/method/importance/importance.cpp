#include "lethe/method/importance/importance.h"

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr const char* kImportance = "importance.";
constexpr const char* kAnchor = "anchor.";
constexpr const char* kClasses = "classes";

}  // namespace

at::Tensor importance_penalty(const at::Tensor& parameter, const at::Tensor& anchor,
                              const at::Tensor& importance) {
  return (importance * (parameter - anchor).square()).sum() / 2;
}

void GradientMean::add(const std::vector<NamedTensor>& parameters,
                       const std::vector<at::Tensor>& gradients, int64_t samples) {
  const auto times = static_cast<double>(samples);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!gradients[i].defined()) continue;
    auto& sum = sums_[parameters[i].name];
    if (!sum.defined()) sum = at::zeros_like(parameters[i].tensor);
    if (of_ == Of::kSquare) {
      sum.addcmul_(gradients[i], gradients[i], times);
    } else {
      sum.add_(gradients[i].abs(), times);
    }
  }
  samples_ += samples;
}

Importances GradientMean::mean() const {
  Importances result;
  for (const auto& [name, sum] : sums_)
    result[name] = sum / static_cast<double>(std::max<int64_t>(1, samples_));
  return result;
}

std::vector<NamedTensor> trained_parameters(const Network& network) {
  std::vector<NamedTensor> result;
  for (const auto& parameter : network.named_parameters()) {
    if (parameter.value().requires_grad()) result.push_back({parameter.key(), parameter.value()});
  }
  return result;
}

void ImportancePenalty::begin_task(const Task&, Learner& learner) {
  bound_.clear();
  for (const auto& [name, parameter] : trained_parameters(learner.network)) {
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) continue;
    auto& anchor = found->second;
    // Contiguous, as in checkpoint files: otherwise a resumed run would sum in another order and
    // differ in the last bits.
    anchor = {anchor.importance.to(parameter.options()).contiguous(),
              anchor.value.to(parameter.options()).contiguous()};
    bound_.emplace_back(parameter, anchor);
  }
  if (const double steep = steepest(); steep > learner.stable_curvature)
    log_warning(
        "the penalty '{}' is too steep for the learning rate of this task: lambda x importance is "
        "up to {:.3g}, and training diverges above {:.3g}; lower its lambda or the learning rate",
        term_, steep, learner.stable_curvature);
}

double ImportancePenalty::steepest() const {
  double largest = 0;
  for (const auto& [parameter, anchor] : bound_)
    largest = std::max(largest, anchor.importance.max().item<double>());
  return lambda_ * largest;
}

LossTerms ImportancePenalty::losses(Step&) {
  if (bound_.empty() || lambda_ == 0) return {};
  at::Tensor sum;
  for (const auto& [parameter, anchor] : bound_) {
    const auto penalty = importance_penalty(parameter, anchor.value, anchor.importance);
    sum = sum.defined() ? sum + penalty : penalty;
  }
  return {{.name = term_, .value = sum, .weight = lambda_, .restrains = true}};
}

void ImportancePenalty::end_task(const Task& task, Learner& learner) {
  if (!task.has_images() || lambda_ == 0) return;
  const auto means = measure(task, learner, measured_);
  // In classification later tasks do not train the head of a task. In segmentation all rows of the
  // one head change in every task, so they are merged like the backbone.
  const bool heads_stay = learner.network.problem() == Problem::kImages;
  for (const auto& [name, parameter] : trained_parameters(learner.network)) {
    const auto found = means.find(name);
    const auto known = anchors_.find(name);
    if (known == anchors_.end()) {
      anchors_[name] = {found == means.end() ? at::zeros_like(parameter) : found->second,
                        parameter.detach().clone()};
    } else if (!heads_stay || !learner.network.is_head_parameter(name)) {
      auto& [importance, value] = known->second;
      if (found != means.end())
        importance = 0.5 * importance.to(found->second.device()) + 0.5 * found->second;
      value = parameter.detach().clone();
    }
  }
}

StateDict ImportancePenalty::state() const {
  StateDict all;
  for (const auto& [name, anchor] : anchors_) {
    all[kImportance + name] = anchor.importance;
    all[kAnchor + name] = anchor.value;
  }
  if (!measured_.empty()) all[kClasses] = at::tensor(measured_.ids(), at::kLong);
  return all;
}

void ImportancePenalty::load(const StateDict& state) {
  erase();
  for (const auto& [parameter, tensor] : part_of(state, kImportance)) {
    const auto value = state.find(kAnchor + parameter);
    if (value == state.end())
      throw_error<DataError>("the importance of '{}' has no anchor", parameter);
    anchors_[parameter] = {tensor.clone(), value->second.clone()};
  }
  if (const auto classes = state.find(kClasses); classes != state.end()) {
    const auto ids = classes->second.contiguous();
    measured_ = ClassSet(
        std::vector<ClassId>(ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + ids.numel()));
  }
}

void ImportancePenalty::erase() {
  anchors_.clear();
  measured_ = {};
}

std::vector<StateEntry> ImportancePenalty::state_of(ClassId id) const {
  if (!measured_.contains(id)) return {};
  int64_t bytes = 0;
  for (const auto& [name, anchor] : anchors_)
    bytes += static_cast<int64_t>(anchor.importance.nbytes());
  return {{"share of the importances", bytes}};
}

void ImportancePenalty::purge(const ClassSet& classes) {
  if ((classes & measured_).empty()) return;
  erase();
  bound_.clear();
}

}  // namespace lethe
