#include "lethe/run/prediction_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lethe/data/contact_sheet.h"
#include "lethe/data/loader.h"
#include "lethe/data/mask_colours.h"
#include "lethe/data/picture_grid.h"
#include "lethe/model/evaluation_mode.h"
#include "lethe/model/torch.h"
#include "lethe/trainer/evaluate.h"

namespace lethe {

namespace {

// Some images of every forgotten class in turn, each image once.
std::vector<int64_t> choose(const Dataset& dataset, const TaskPlan& plan, const ClassSet& classes,
                            int64_t count) {
  std::vector<std::vector<int64_t>> by_class;
  size_t longest = 0;
  for (const ClassId id : classes) {
    by_class.push_back(plan.samples_with(dataset, {id}));
    longest = std::max(longest, by_class.back().size());
  }
  std::vector<int64_t> chosen;
  std::set<int64_t> known;
  for (size_t i = 0; i < longest; ++i) {
    for (const auto& samples : by_class) {
      if (static_cast<int64_t>(chosen.size()) == count) return chosen;
      if (i < samples.size() && known.insert(samples[i]).second) chosen.push_back(samples[i]);
    }
  }
  return chosen;
}

at::Tensor predicted(Network& network, const Batch& batch) {
  const EvaluationMode mode(network);
  return predict(network.forward(batch.images.to(network.device())),
                 batch.labels.to(network.device()), network)
      .cpu();
}

// Names of the forgotten classes in a mask.
std::string shown_names(const at::Tensor& labels, const ClassSet& forgotten, const TaskPlan& plan) {
  ClassSet there;
  for (const ClassId id : forgotten) {
    if ((labels == id).any().item<bool>()) there = there | ClassSet{id};
  }
  return plan.names(there);
}

}  // namespace

at::Tensor prediction_sheet(Network& before, Network& after, const DatasetPtr& dataset,
                            const TaskPlan& plan, const Task& task,
                            const PredictionSheetOptions& options) {
  const at::NoGradGuard no_grad;
  const auto samples = choose(*dataset, plan, task.forgotten, options.rows);
  if (samples.empty()) return {};
  Loader loader(dataset, samples, plan.eval_labels(task), Transform(dataset->info()),
                {.batch = static_cast<int64_t>(samples.size()), .threads = 0});
  const auto batch = *loader.next();
  const auto old_answer = predicted(before, batch);
  const auto new_answer = predicted(after, batch);
  PictureGrid grid = {
      .title = fmt::format("{} forgotten: {}", dataset->info().name, plan.names(task.forgotten)),
      .columns = {"image", "truth", "before", "after"},
      .rows = {},
      .side = options.side};
  for (int64_t i = 0; i < batch.size(); ++i) {
    const auto image = to_levels(batch.images[i].clone(), dataset->info());
    grid.rows.push_back({.name = shown_names(batch.labels[i], task.forgotten, plan),
                         .pictures = {image, colour_labels(batch.labels[i]),
                                      colour_labels(old_answer[i]), colour_labels(new_answer[i])}});
  }
  return draw(grid);
}

}  // namespace lethe
