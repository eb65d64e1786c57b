#include "lethe/method/importance/ewc.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/features/class_groups.h"
#include "lethe/losses/mask_cross_entropy.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr const char* kClass = "class.";
constexpr const char* kAbout = "about";  // [task, samples] of a class

const ChoiceNames<Fisher> kFishers = {{Fisher::kBatchMean, "batch_mean"},
                                      {Fisher::kPerSample, "per_sample"}};

// The classes that an importance is measured on.
struct Part {
  ClassSet classes;
  GradientMean fisher;
};

// The images of a batch that contain the classes of a part, with the labels of these classes.
struct Shown {
  at::Tensor rows;    // int64 [n]
  at::Tensor labels;  // [n], or [n, H, W] with everything else void
};

Shown shown(const Batch& batch, const ClassSet& classes) {
  const auto own = is_in(batch.labels, classes);
  if (batch.labels.dim() == 1) {
    const auto rows = own.nonzero().squeeze(1);
    return {rows, batch.labels.index_select(0, rows)};
  }
  const auto rows = own.flatten(1).any(1).nonzero().squeeze(1);
  return {rows, batch.labels.masked_fill(own.logical_not(), kVoid).index_select(0, rows)};
}

// Cross-entropy of the raw scores, without scale and margin, as in the reference.
at::Tensor score_loss(const at::Tensor& logits, const at::Tensor& labels, const Head& head) {
  if (labels.dim() == 3) return mask_cross_entropy(logits, labels);
  return at::cross_entropy_loss(logits.narrow(1, head.first, head.count), labels - head.first);
}

// The mean of squared gradients of every part, in one pass over the task's images.
void measure_parts(const Task& task, Learner& learner, bool per_sample, std::vector<Part>& parts) {
  auto& network = learner.network;
  const auto parameters = trained_parameters(network);
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor);
  const auto head = network.heads().back();

  Stopwatch watch;
  learner.each_batch([&](const Batch& batch) {
    for (auto& part : parts) {
      const auto [rows, labels] = shown(batch, part.classes);
      if (rows.size(0) == 0) continue;
      // Selected before the pass, so that other images have no influence on the batch statistics. A
      // single sample has no batch statistics and uses the running statistics.
      Step step(task, batch, network, nullptr, watch);
      const auto& logits =
          step.student(batch.images.index_select(0, rows), per_sample || rows.size(0) == 1
                                                               ? Statistics::kRunning
                                                               : Statistics::kBatchNoUpdate)
              .logits;
      const int64_t size = per_sample ? 1 : rows.size(0);
      for (int64_t first = 0; first < rows.size(0); first += size) {
        const auto loss =
            score_loss(logits.narrow(0, first, size), labels.narrow(0, first, size), head);
        part.fisher.add(parameters,
                        torch::autograd::grad({loss}, tensors, {}, /*retain_graph=*/true,
                                              /*create_graph=*/false, /*allow_unused=*/true),
                        size);
      }
    }
  });
}

}  // namespace

Fields config_fields(EwcOptions& o) {
  return {
      // Importances are measured in the first task unless the weight is 0.
      common(after_first_task(
          {"method.ewc.lambda", &o.lambda, "weight of the penalty", at_least(0)}, o.lambda != 0)),
      {"method.ewc.fisher", choice(&o.fisher, kFishers),
       "importance: squared batch-mean gradients (as in the reference implementation) or squared "
       "per-sample gradients"},
      formerly("method.ewc.deleted_weight",
               {"method.ewc.forgotten_weight", &o.forgotten_weight,
                "starred methods: r in importance = max(0, kept + r * forgotten); the reference "
                "implementation uses 1",
                between(-1, 1)}),
      {"method.ewc.per_class", &o.per_class,
       "store importances per class, so that a later request can remove those of its classes; for "
       "each class this costs the memory of one network and one extra pass over the images"},
  };
}

void EwcOptions::resolve(const DatasetInfo&) {
  if (per_class && forgotten_weight != 0)
    throw ConfigError("method.ewc.forgotten_weight: must be 0 with method.ewc.per_class");
}

ClassSet Ewc::late(const Task& task) const {
  return classes_ == OldClasses::kKept && !options_.per_class ? task.requested & measured()
                                                              : ClassSet{};
}

std::vector<std::string> Ewc::remarks(const Task& task, const TaskPlan& plan) const {
  if (late(task).empty()) return {};
  return {fmt::format(
      "the importances contain '{}', because its request was not due when they were measured: they "
      "still protect parameters that it shares with others (method.ewc.per_class = true avoids "
      "this)",
      plan.names(late(task)))};
}

void Ewc::begin_task(const Task& task, Learner& learner) {
  for (const auto& remark : remarks(task, learner.plan)) log_warning("{}", remark);
  if (options_.per_class) {
    important_ = classes_ == OldClasses::kKept ? task.kept : task.kept | task.forgotten;
    merge_classes(important_);
  }
  ImportancePenalty::begin_task(task, learner);
}

Importances Ewc::measure(const Task& task, Learner& learner, ClassSet& measured) {
  ClassSet forgotten;
  if (classes_ == OldClasses::kKept) {
    for (const auto& request : learner.plan.requests()) {
      // A request by command is made after the task, also when the task is repeated.
      if (!request.by_command && request.before_task <= task.number + 1)
        forgotten = forgotten | (task.new_classes & request.classes);
    }
  }
  const ClassSet kept = task.new_classes - forgotten;
  const bool with_forgotten = options_.forgotten_weight != 0 && !forgotten.empty();
  std::vector<Part> parts;
  if (options_.per_class) {
    for (const ClassId id : kept) parts.push_back({ClassSet{id}, GradientMean{}});
  } else {
    parts.push_back({kept, GradientMean{}});
    if (with_forgotten) parts.push_back({forgotten, GradientMean{}});
  }
  measure_parts(task, learner, options_.fisher == Fisher::kPerSample, parts);
  measured = measured | kept;
  if (options_.per_class) {
    for (const auto& part : parts)
      of_class_[part.classes.ids().front()] = {task.number, part.fisher.samples(),
                                               part.fisher.mean()};
    return mean_of(task.number, kept);
  }
  auto result = parts.front().fisher.mean();
  if (with_forgotten) {
    measured = measured | forgotten;
    for (const auto& [name, importance] : parts.back().fisher.mean()) {
      auto& sum = result[name];
      if (!sum.defined()) sum = at::zeros_like(importance);
      sum = (sum + options_.forgotten_weight * importance).clamp_min(0);
    }
  }
  return result;
}

Importances Ewc::mean_of(int64_t task, const ClassSet& classes) const {
  Importances sums;
  int64_t samples = 0;
  for (const auto& [id, own] : of_class_) {
    if (own.task != task || !classes.contains(id)) continue;
    samples += own.samples;
    for (const auto& [name, importance] : own.importances) {
      const auto part = importance * static_cast<double>(own.samples);
      auto& sum = sums[name];
      sum = sum.defined() ? sum + part.to(sum.device()) : part;
    }
  }
  for (auto& [name, sum] : sums) sum = sum / static_cast<double>(std::max<int64_t>(1, samples));
  return sums;
}

void Ewc::merge_classes(const ClassSet& classes) {
  std::set<int64_t> tasks;
  for (const auto& [id, own] : of_class_) tasks.insert(own.task);
  std::map<int64_t, Importances> means;
  for (const int64_t task : tasks) means[task] = mean_of(task, classes);
  for (auto& [name, anchor] : anchors()) {
    at::Tensor merged;
    for (const auto& [task, mean] : means) {
      const auto found = mean.find(name);
      if (found == mean.end()) continue;
      const auto own = found->second.to(anchor.importance.options());
      merged = merged.defined() ? 0.5 * merged + 0.5 * own : own;
    }
    anchor.importance = merged.defined() ? merged : at::zeros_like(anchor.importance);
  }
}

StateDict Ewc::state() const {
  auto all = ImportancePenalty::state();
  for (const auto& [id, own] : of_class_) {
    const auto prefix = fmt::format("{}{}.", kClass, id);
    add_part(all, prefix, own.importances);
    all[prefix + kAbout] = at::tensor(std::vector<int64_t>{own.task, own.samples}, at::kLong);
  }
  return all;
}

void Ewc::load(const StateDict& state) {
  ImportancePenalty::load(state);
  of_class_.clear();
  for (const auto& [name, tensor] : part_of(state, kClass)) {
    const auto dot = name.find('.');
    auto& own = of_class_[std::stoll(name.substr(0, dot))];
    const auto what = name.substr(dot + 1);
    if (what == kAbout) {
      own.task = tensor[0].item<int64_t>();
      own.samples = tensor[1].item<int64_t>();
    } else {
      own.importances[what] = tensor.clone();
    }
  }
  // Until a task begins, all classes are important.
  important_ = {};
  for (const auto& [id, own] : of_class_) important_ = important_ | ClassSet{id};
}

std::vector<StateEntry> Ewc::state_of(ClassId id) const {
  if (!options_.per_class) return ImportancePenalty::state_of(id);
  const auto found = of_class_.find(id);
  auto all = rows_of(id);
  if (found == of_class_.end()) return all;
  int64_t bytes = 0;
  for (const auto& [name, importance] : found->second.importances)
    bytes += static_cast<int64_t>(importance.nbytes());
  all.push_back({"importances", bytes});
  return all;
}

void Ewc::purge(const ClassSet& classes) {
  if (!options_.per_class) {
    ImportancePenalty::purge(classes);
    return;
  }
  for (const ClassId id : classes) of_class_.erase(id);
  for (auto& [id, own] : of_class_) purge_rows(classes, own.importances);
  drop_class(classes);
  merge_classes(important_);
  purge_rows(classes);
}

PartRecipe ewc_part(OldClasses classes) {
  auto part = make_part<EwcOptions>("ewc", [classes](const OptionGroups& o, SharedObjects&) {
    return std::make_unique<Ewc>(o.get<EwcOptions>(), classes);
  });
  part.first_task_uses_requests = classes == OldClasses::kKept;
  return part;
}

}  // namespace lethe
