#include "lethe/method/ewc.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr const char* kImportance = "importance.";
constexpr const char* kAnchor = "anchor.";
constexpr const char* kClasses = "classes";

std::vector<NamedTensor> trained_parameters(const Network& network) {
  std::vector<NamedTensor> result;
  for (const auto& parameter : network.named_parameters()) {
    if (parameter.value().requires_grad()) result.push_back({parameter.key(), parameter.value()});
  }
  return result;
}

}  // namespace

Fields config_fields(EwcOptions& o) {
  return {
      {"method.ewc.lambda", &o.lambda, "weight of the penalty", at_least(0)},
      {"method.ewc.fisher",
       &o.fisher,
       "importance: squares of batch-mean gradients (the reference), or of every sample's own",
       {},
       {"batch_mean", "per_sample"}},
  };
}

at::Tensor importance_penalty(const at::Tensor& parameter, const at::Tensor& anchor,
                              const at::Tensor& importance) {
  return (importance * (parameter - anchor).square()).sum() / 2;
}

void FisherSum::add(const std::vector<NamedTensor>& parameters,
                    const std::vector<at::Tensor>& gradients, int64_t samples) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto& sum = sums_[parameters[i].name];
    if (!sum.defined()) sum = at::zeros_like(parameters[i].tensor);
    if (gradients[i].defined())
      sum.addcmul_(gradients[i], gradients[i], static_cast<double>(samples));
  }
  samples_ += samples;
}

std::map<std::string, at::Tensor> FisherSum::mean() const {
  std::map<std::string, at::Tensor> result;
  for (const auto& [name, sum] : sums_)
    result[name] = sum / static_cast<double>(std::max<int64_t>(1, samples_));
  return result;
}

void Ewc::begin_task(const Task& task, Learner& learner) {
  bound_.clear();
  if (const auto late = task.requested & measured_;
      !late.empty() && classes_ == ImportantClasses::kKept) {
    log_warning(
        "the importances were measured with '{}', whose request was not due then: they go on "
        "protecting what it shares with others",
        learner.plan.names(late));
  }
  for (const auto& [name, parameter] : trained_parameters(learner.network)) {
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) continue;
    auto& anchor = found->second;
    anchor = {anchor.importance.to(parameter.options()), anchor.value.to(parameter.options())};
    bound_.emplace_back(parameter, anchor);
  }
}

LossTerms Ewc::losses(Step&) {
  if (bound_.empty() || options_.lambda == 0) return {};
  at::Tensor sum;
  for (const auto& [parameter, anchor] : bound_) {
    const auto penalty = importance_penalty(parameter, anchor.value, anchor.importance);
    sum = sum.defined() ? sum + penalty : penalty;
  }
  return {{"ewc", sum, options_.lambda}};
}

void Ewc::end_task(const Task& task, Learner& learner) {
  if (!task.has_images() || options_.lambda == 0) return;
  ClassSet classes = task.new_classes;
  if (classes_ == ImportantClasses::kKept) {
    for (const auto& request : learner.plan.requests()) {
      if (request.before_task <= task.number + 1) classes = classes - request.classes;
    }
  }
  auto& network = learner.network;
  const auto parameters = trained_parameters(network);
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor);
  const auto head = network.heads().back();
  const auto important = classes.mask(head.first, head.count).to(network.device()).to(at::kBool);
  FisherSum fisher;
  const bool per_sample = options_.fisher == "per_sample";
  Stopwatch watch;
  learner.each_batch([&](const Batch& batch) {
    const auto rows = important.index_select(0, batch.labels - head.first).nonzero().squeeze(1);
    if (rows.size(0) == 0) return;
    // Chosen before the pass, so that the rest has no influence, not even on the statistics. One
    // sample has none of its own: there the running ones serve.
    const auto labels = batch.labels.index_select(0, rows) - head.first;
    Step step(task, batch, network, nullptr, watch);
    const auto scores = step.student(batch.images.index_select(0, rows),
                                     per_sample || rows.size(0) == 1 ? Statistics::kRunning
                                                                     : Statistics::kBatchNoUpdate)
                            .logits.narrow(1, head.first, head.count);
    const int64_t part = per_sample ? 1 : rows.size(0);
    for (int64_t i = 0; i < rows.size(0); i += part) {
      // Raw scores, as the reference has it: no scale, no margin.
      const auto loss =
          at::cross_entropy_loss(scores.narrow(0, i, part), labels.narrow(0, i, part));
      fisher.add(parameters,
                 torch::autograd::grad({loss}, tensors, {}, /*retain_graph=*/true,
                                       /*create_graph=*/false, /*allow_unused=*/true),
                 part);
    }
  });

  // The trunk's importances are averaged with the old ones; a head has those of its own task.
  const auto means = fisher.mean();
  for (const auto& [name, parameter] : parameters) {
    // Without an image of an important class: nothing is important.
    const auto found = means.find(name);
    const auto importance = found == means.end() ? at::zeros_like(parameter) : found->second;
    const auto known = anchors_.find(name);
    if (known == anchors_.end()) {
      anchors_[name] = {importance, parameter.detach().clone()};
    } else if (!network.is_head_parameter(name)) {
      known->second = {0.5 * known->second.importance.to(importance.device()) + 0.5 * importance,
                       parameter.detach().clone()};
    }
  }
  measured_ = measured_ | classes;
}

StateDict Ewc::state() const {
  StateDict all;
  for (const auto& [name, anchor] : anchors_) {
    all[kImportance + name] = anchor.importance;
    all[kAnchor + name] = anchor.value;
  }
  if (!measured_.empty()) all[kClasses] = at::tensor(measured_.ids(), at::kLong);
  return all;
}

void Ewc::load(const StateDict& state) {
  erase();
  const std::string prefix = kImportance;
  for (const auto& [name, tensor] : state) {
    if (!name.starts_with(prefix)) continue;
    const auto parameter = name.substr(prefix.size());
    const auto value = state.find(kAnchor + parameter);
    if (value == state.end())
      throw_error<DataError>("importance of '{}' has no anchor beside it", parameter);
    anchors_[parameter] = {tensor.clone(), value->second.clone()};
  }
  if (const auto classes = state.find(kClasses); classes != state.end()) {
    const auto ids = classes->second.contiguous();
    measured_ = ClassSet(
        std::vector<ClassId>(ids.data_ptr<int64_t>(), ids.data_ptr<int64_t>() + ids.numel()));
  }
}

void Ewc::erase() {
  anchors_.clear();
  measured_ = {};
}

std::vector<StateEntry> Ewc::state_of(ClassId id) const {
  if (!measured_.contains(id)) return {};
  int64_t bytes = 0;
  for (const auto& [name, anchor] : anchors_)
    bytes += static_cast<int64_t>(anchor.importance.nbytes());
  return {{"share of the importances", bytes}};
}

void Ewc::purge(const ClassSet& classes) {
  if ((classes & measured_).empty()) return;
  erase();
  bound_.clear();
}

std::string Ewc::first_task_key() const {
  if (options_.lambda == 0) return "";
  return fmt::format("importance {} {}", options_.fisher,
                     classes_ == ImportantClasses::kAll ? "all" : "kept");
}

}  // namespace lethe
