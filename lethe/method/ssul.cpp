#include "lethe/method/ssul.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/features/class_groups.h"
#include "lethe/features/saliency.h"
#include "lethe/losses/mask_cross_entropy.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr int64_t kUnknown = 0;
constexpr int64_t kBackground = 1;

// [B, 1 + K, H, W]: unknown, background, classes.
at::Tensor channels(const ModelOutput& output) {
  return at::cat({output.unknown, output.logits}, 1);
}

std::string head_prefix(int64_t head) { return fmt::format("classifier.{}.", head); }

// "classifier.<head>.1.weight" and bias: lethe/model/pixel_heads.h.
bool is_norm_of_head(const std::string& parameter) {
  return parameter.ends_with(".1.weight") || parameter.ends_with(".1.bias");
}

}  // namespace

Fields config_fields(SsulOptions& o) {
  return {
      common(after_first_task(
          {"method.ssul.threshold", &o.threshold,
           "minimum score for using the old model's prediction as a pseudo label; above 1 = no "
           "pseudo labels",
           between(0, 2)})),
      {"method.ssul.unknown", &o.unknown,
       "treat salient background as a class 'unknown', and initialise new classes from it; "
       "saliency comes from data.saliency or the spectral residual of the image"},
      {"method.ssul.trunk_lr", &o.trunk_lr,
       "first task: learning rate factor for everything except the heads; the reference "
       "implementation uses 0.1",
       above(0)},
      after_first_task({"method.ssul.head_lr", &o.head_lr,
                        "later tasks: learning rate factor for the new and the unknown head",
                        above(0)}),
      after_first_task({"method.ssul.background_lr", &o.background_lr,
                        "later tasks: learning rate factor for the background head", at_least(0)}),
  };
}

at::Tensor ssul_labels(const at::Tensor& labels, const at::Tensor& salient) {
  const auto valid = labels != kVoid;
  auto shifted = at::where(valid, labels + 1, labels);
  if (salient.defined()) shifted = shifted.masked_fill((labels == 0) & salient, kUnknown);
  return shifted;
}

at::Tensor ssul_pseudo_labels(const at::Tensor& labels, const at::Tensor& old_answer,
                              const at::Tensor& old_score, double threshold,
                              const ClassSet& without) {
  auto taken = (labels <= kBackground) & (old_answer > kBackground) & (old_score >= threshold);
  if (!without.empty()) taken = taken & is_in(old_answer - 1, without).logical_not();
  return at::where(taken, old_answer, labels);
}

void Ssul::begin_task(const Task& task, Learner& learner) {
  first_task_ = task.number == 1;
  if (learner.plan.num_classes() >= kVoid)  // labels are shifted by one for unknown
    throw_error<ConfigError>(
        "method 'ssul': the stream has {} classes with background; at most {} are possible",
        learner.plan.num_classes(), kVoid - 1);
  const auto parameters = learner.network.named_parameters();
  const auto has = [&](const std::string& head) { return parameters.contains(head + "0.weight"); };
  if (!has("classifier.unknown."))
    throw ConfigError("method 'ssul' needs separate heads: set model.classifier = \"ssul\"");
  // Not the number of the task: events that only forget add no head.
  for (int64_t head = 0; has(head_prefix(head)); ++head) newest_head_ = head_prefix(head);
}

LossTerms Ssul::losses(Step& step) {
  if (!step.task().has_images()) return {};
  const auto& batch = step.batch();
  // Frozen layers keep their statistics, too.
  const auto statistics = step.has_old() ? Statistics::kRunning : Statistics::kBatch;
  const auto logits = channels(step.student(batch.images, statistics));
  at::Tensor salient;
  if (options_.unknown)
    salient = batch.saliency.defined() ? batch.saliency > 0 : salient_pixels(batch.images);
  auto labels = ssul_labels(batch.labels, salient);
  if (step.has_old() && options_.threshold <= 1) {
    const auto [score, answer] = channels(step.old(batch.images)).sigmoid().max(1);
    const bool star = classes_ == OldClasses::kKept;
    const auto without = star ? step.erased() | step.task().forgotten : step.erased();
    labels = ssul_pseudo_labels(labels, answer, score, options_.threshold, without);
  }
  return {{"bce", mask_binary_cross_entropy(logits, labels)}};
}

double Ssul::lr_factor(const std::string& parameter) const {
  const bool is_head = parameter.starts_with("classifier.");
  if (first_task_) return is_head ? 1.0 : options_.trunk_lr;
  if (!is_head || is_norm_of_head(parameter)) return 0;
  if (parameter.starts_with("classifier.background.")) return options_.background_lr;
  const bool learns =
      parameter.starts_with("classifier.unknown.") || parameter.starts_with(newest_head_);
  return learns ? options_.head_lr : 0;
}

MethodRecipe ssul_recipe(OldClasses classes) {
  auto part = make_part<SsulOptions>("ssul", [classes](const OptionGroups& o, SharedObjects&) {
    return std::make_unique<Ssul>(o.get<SsulOptions>(), classes);
  });
  part.extra = {"data.saliency"};
  auto made = compose({part});
  made.classifier = "ssul";
  made.init = [](const OptionGroups& o) {
    return o.get<SsulOptions>().unknown ? "unknown" : "default";
  };
  return made;
}

}  // namespace lethe
