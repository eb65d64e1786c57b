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
constexpr const char* kEntry = "class_entry.";  // [per_row, classes] of an entry of the network

std::vector<int64_t> numbers_in(const at::Tensor& tensor) {
  const auto values = tensor.contiguous();
  return {values.data_ptr<int64_t>(), values.data_ptr<int64_t>() + values.numel()};
}

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
  class_entries_ = learner.network.class_entries();
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
  if (lambda_ == 0) return;
  class_entries_ = learner.network.class_entries();
  const auto means = task.learns() ? measure(task, learner, measured_) : Importances{};
  // In classification later tasks do not train the head of a task. In segmentation all rows of the
  // one head change in every task, so they are merged like the backbone.
  const bool heads_stay = learner.network.problem() == Problem::kImages;
  for (const auto& [name, parameter] : trained_parameters(learner.network)) {
    const auto found = means.find(name);
    const auto known = anchors_.find(name);
    if (known == anchors_.end()) {
      if (!task.learns()) continue;
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
  for (const auto& entry : class_entries_) {
    if (!anchors_.contains(entry.name)) continue;
    auto numbers = entry.classes.ids();
    numbers.insert(numbers.begin(), entry.per_row ? 1 : 0);
    all[kEntry + entry.name] = at::tensor(numbers, at::kLong);
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
  for (const auto& [parameter, tensor] : part_of(state, kEntry)) {
    const auto numbers = numbers_in(tensor);
    class_entries_.push_back({.name = parameter,
                              .classes = ClassSet({numbers.begin() + 1, numbers.end()}),
                              .per_row = numbers.front() != 0});
  }
  if (const auto classes = state.find(kClasses); classes != state.end())
    measured_ = ClassSet(numbers_in(classes->second));
}

void ImportancePenalty::erase() {
  anchors_.clear();
  class_entries_.clear();
  measured_ = {};
}

std::vector<StateEntry> ImportancePenalty::state_of(ClassId id) const {
  auto all = rows_of(id);
  if (!measured_.contains(id)) return all;
  int64_t bytes = 0;
  for (const auto& [name, anchor] : anchors_)
    bytes += static_cast<int64_t>(anchor.importance.nbytes());
  // Not push_back({...}): gcc 12 warns of a copy that does not happen (-Warray-bounds).
  const StateEntry share = {.name = "share of the importances", .bytes = bytes};
  all.push_back(share);
  return all;
}

std::vector<StateEntry> ImportancePenalty::rows_of(ClassId id) const {
  int64_t bytes = 0;
  for (const auto& entry : class_entries_) {
    const auto found = anchors_.find(entry.name);
    if (found == anchors_.end() || !entry.per_row || !entry.classes.contains(id)) continue;
    const auto& ids = entry.classes.ids();
    const auto row = std::lower_bound(ids.begin(), ids.end(), id) - ids.begin();
    for (const auto& tensor : {found->second.importance[row], found->second.value[row]}) {
      if (tensor.count_nonzero().item<int64_t>() > 0)
        bytes += static_cast<int64_t>(tensor.nbytes());
    }
  }
  if (bytes == 0) return {};
  return {{"anchors of its classifier rows", bytes}};
}

void ImportancePenalty::purge(const ClassSet& classes) {
  if ((classes & measured_).empty()) {
    purge_rows(classes);
  } else {
    erase();
    bound_.clear();
  }
}

void ImportancePenalty::purge_rows(const ClassSet& classes) {
  Importances importances, values;
  for (const auto& [name, anchor] : anchors_) {
    importances[name] = anchor.importance;
    values[name] = anchor.value;
  }
  purge_rows(classes, importances);
  purge_rows(classes, values);
  std::erase_if(anchors_, [&](const auto& anchor) { return !values.contains(anchor.first); });
  bound_.clear();
}

void ImportancePenalty::purge_rows(const ClassSet& classes, Importances& importances) const {
  for (const auto& entry : class_entries_) {
    const auto found = importances.find(entry.name);
    if (found == importances.end() || (entry.classes & classes).empty()) continue;
    if (entry.per_row) {
      erase_classes(found->second, entry, classes);
    } else {
      importances.erase(found);
    }
  }
}

}  // namespace lethe
