#include "lethe/method/importance/mas.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "lethe/method/head_columns.h"
#include "lethe/model/torch.h"

namespace lethe {

void MasOptions::resolve(const DatasetInfo& info) {
  if (!lambda) lambda = std::max(info.height, info.width) < 128 ? 5 : 1;
}

namespace {

const ChoiceNames<GradientMean::Of> kImportances = {{GradientMean::Of::kSquare, "square"},
                                                    {GradientMean::Of::kAbsolute, "abs"}};

}  // namespace

Fields config_fields(MasOptions& o) {
  return {
      // Importances are measured in the first task unless the weight is 0.
      common(after_first_task(
          {"method.mas.lambda", &o.lambda,
           "weight of the penalty; auto = 5 (inputs of 128 pixels or more: 1)", at_least(0)},
          o.lambda != 0.0)),
      {"method.mas.importance", choice(&o.importance, kImportances),
       "importance: mean squared gradient (as in the reference implementation of the mnemonic-code "
       "paper) or mean absolute gradient"},
  };
}

at::Tensor score_length(const at::Tensor& scores, GradientMean::Of importance) {
  const auto mean = scores.norm(2, 1).mean();
  return importance == GradientMean::Of::kAbsolute ? mean : mean / scores.size(1);
}

Importances Mas::measure(const Task& task, Learner& learner, ClassSet& measured) {
  auto& network = learner.network;
  const auto parameters = trained_parameters(network);
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor);
  const auto head = network.heads().back();
  GradientMean mean(options_.importance);
  Stopwatch watch;
  learner.each_batch([&](const Batch& batch) {
    Step step(task, batch, network, nullptr, watch);
    // A single sample has no batch statistics.
    const auto statistics = batch.size() == 1 ? Statistics::kRunning : Statistics::kBatchNoUpdate;
    const auto scores = HeadColumns(step, head).of(step.student(batch.images, statistics).logits);
    mean.add(parameters,
             torch::autograd::grad({score_length(scores, options_.importance)}, tensors, {},
                                   /*retain_graph=*/false, /*create_graph=*/false,
                                   /*allow_unused=*/true),
             batch.size());
  });
  measured = measured | task.new_classes;
  return mean.mean();
}

PartRecipe mas_part() {
  return make_part<MasOptions>("mas", [](const OptionGroups& o, SharedObjects&) {
    return std::make_unique<Mas>(o.get<MasOptions>());
  });
}

}  // namespace lethe
