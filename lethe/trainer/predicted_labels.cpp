#include "lethe/trainer/predicted_labels.h"

#include <numeric>

#include "lethe/core/error.h"
#include "lethe/core/signals.h"
#include "lethe/data/loader.h"
#include "lethe/data/relabelled.h"
#include "lethe/model/evaluation_mode.h"
#include "lethe/model/torch.h"

namespace lethe {

DatasetPtr with_predicted_labels(Network& network, const DatasetPtr& images, const TaskPlan& plan,
                                 const Task& task, const EvaluateOptions& options) {
  const at::NoGradGuard no_grad;
  const EvaluationMode mode(network);
  const auto kept = task.kept.ids();
  const auto device = network.device();
  const auto columns = at::tensor(kept, at::kLong).to(device);
  std::vector<int64_t> all(static_cast<size_t>(images->size()));
  std::iota(all.begin(), all.end(), 0);
  Loader loader(images, all, plan.eval_labels(task), Transform(images->info()),
                {.batch = options.batch, .threads = options.loader_threads});
  std::vector<int64_t> labels;
  while (auto batch = loader.next()) {
    if (stop_requested()) throw Interrupted("stopped by a signal while labelling images");
    const auto logits = network.forward(batch->images.to(device)).logits;
    const auto best = logits.index_select(1, columns).argmax(1).cpu();
    for (int64_t i = 0; i < best.size(0); ++i)
      labels.push_back(plan.label_of(kept.at(static_cast<size_t>(best[i].item<int64_t>()))));
  }
  return with_labels(images, std::move(labels));
}

}  // namespace lethe
