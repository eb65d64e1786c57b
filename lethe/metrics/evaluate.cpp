#include "lethe/metrics/evaluate.h"

#include <limits>

#include "lethe/core/error.h"
#include "lethe/core/signals.h"
#include "lethe/data/loader.h"
#include "lethe/model/evaluation_mode.h"
#include "lethe/model/torch.h"

namespace lethe {

int64_t Evaluation::correct(ClassId id) const { return confusion[id][id].item<int64_t>(); }

int64_t Evaluation::correct_all(ClassId id) const {
  return (confusion_all.defined() ? confusion_all : confusion)[id][id].item<int64_t>();
}

int64_t Evaluation::total(ClassId id) const { return confusion[id].sum().item<int64_t>(); }

at::Tensor predict(const ModelOutput& output) {
  if (!output.unknown.defined()) return output.logits.argmax(1);
  const auto scores = output.logits.sigmoid();
  return at::cat({scores.narrow(1, 0, 1) + output.unknown.sigmoid(),
                  scores.narrow(1, 1, scores.size(1) - 1)},
                 1)
      .argmax(1);
}

at::Tensor predict_in_task(const ModelOutput& output, const at::Tensor& labels,
                           const Network& network) {
  const auto& logits = output.logits;
  // own[c, k]: class k is in the same head as class c.
  const auto own = torch::zeros({network.num_classes(), network.num_classes()},
                                logits.options().dtype(torch::kBool));
  for (const auto& head : network.heads()) {
    own.narrow(0, head.first, head.count).narrow(1, head.first, head.count).fill_(true);
  }
  const auto outside = own.index_select(0, labels).logical_not();
  return logits.masked_fill(outside, -std::numeric_limits<double>::infinity()).argmax(1);
}

Evaluation evaluate(Network& network, const DatasetPtr& dataset, const TaskPlan& plan,
                    const Task& task, const EvaluateOptions& options) {
  const at::NoGradGuard no_grad;
  const EvaluationMode mode(network);
  const int64_t classes = plan.num_classes();
  const auto device = network.device();
  const bool masks = dataset->info().problem == Problem::kMasks;
  const auto count = [&](const at::Tensor& truth, const at::Tensor& prediction) {
    return torch::bincount((truth * classes + prediction).flatten(), {}, classes * classes);
  };
  const auto zeros =
      torch::zeros({classes * classes}, torch::TensorOptions().dtype(torch::kInt64).device(device));
  auto counts = zeros.clone();
  auto counts_all = zeros.clone();
  Evaluation result;
  result.problem = dataset->info().problem;
  result.without = task.erased;

  Loader loader(dataset, plan.eval_samples(*dataset, task), plan.eval_labels(task),
                Transform(dataset->info()),
                {.batch = options.batch, .threads = options.loader_threads});
  while (auto batch = loader.next()) {
    if (stop_requested()) throw Interrupted("stopped by a signal during evaluation");
    const auto labels = batch->labels.to(device);
    const auto output = network.forward(batch->images.to(device));
    if (masks) {
      const auto valid = labels.ne(kVoid);
      counts += count(labels.masked_select(valid), predict(output).masked_select(valid));
    } else {
      counts += count(labels, predict_in_task(output, labels, network));
      counts_all += count(labels, predict(output));
    }
    result.images += batch->size();
  }
  result.confusion = counts.reshape({classes, classes}).cpu();
  if (!masks) result.confusion_all = counts_all.reshape({classes, classes}).cpu();
  return result;
}

}  // namespace lethe
