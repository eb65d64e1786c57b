#include "lethe/run/prediction_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lethe/data/contact_sheet.h"
#include "lethe/data/loader.h"
#include "lethe/data/mask_colours.h"
#include "lethe/data/picture_grid.h"
#include "lethe/metrics/evaluate.h"
#include "lethe/model/evaluation_mode.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

struct Chosen {
  int64_t sample;
  ClassId shows;
};

// Takes images of the forgotten classes in turn, each image once.
std::vector<Chosen> choose(const Dataset& dataset, const TaskPlan& plan, const ClassSet& classes,
                           int64_t count) {
  std::map<ClassId, std::vector<int64_t>> by_class;
  size_t longest = 0;
  for (const ClassId id : classes) {
    by_class[id] = plan.samples_with(dataset, {id});
    longest = std::max(longest, by_class[id].size());
  }
  std::vector<Chosen> chosen;
  std::set<int64_t> known;
  for (size_t i = 0; i < longest; ++i) {
    for (const auto& [id, samples] : by_class) {
      if (static_cast<int64_t>(chosen.size()) == count) return chosen;
      if (i < samples.size() && known.insert(samples[i]).second)
        chosen.push_back({.sample = samples[i], .shows = id});
    }
  }
  return chosen;
}

at::Tensor predicted(Network& network, const Batch& batch) {
  const EvaluationMode mode(network);
  return predict(network.forward(batch.images.to(network.device()))).cpu();
}

// Names of the forgotten classes in a mask.
std::string shown_names(const at::Tensor& labels, const ClassSet& forgotten, const TaskPlan& plan) {
  ClassSet there;
  for (const ClassId id : forgotten) {
    if ((labels == id).any().item<bool>()) there = there | ClassSet{id};
  }
  return plan.names(there);
}

// The colours of all classes that occur in the label maps.
std::vector<PictureGrid::Key> legend_of(const std::vector<at::Tensor>& maps, const TaskPlan& plan) {
  std::set<int64_t> there;
  for (const auto& map : maps) {
    const auto labels = std::get<0>(at::_unique(map.to(at::kLong).cpu()));
    there.insert(labels.data_ptr<int64_t>(), labels.data_ptr<int64_t>() + labels.numel());
  }
  std::vector<PictureGrid::Key> legend;
  for (const int64_t label : there)
    legend.push_back({.name = label == kVoid ? "void, or not learned"
                                             : plan.class_name(static_cast<ClassId>(label)),
                      .colour = mask_colour(label)});
  return legend;
}

}  // namespace

at::Tensor prediction_sheet(const std::vector<BeforeRequest>& before, Network& after,
                            const DatasetPtr& dataset, const TaskPlan& plan, const Task& task,
                            const PredictionSheetOptions& options) {
  const at::NoGradGuard no_grad;
  const auto chosen = choose(*dataset, plan, task.forgotten, options.rows);
  if (chosen.empty()) return {};
  std::vector<int64_t> samples;
  for (const auto& one : chosen) samples.push_back(one.sample);
  Loader loader(dataset, samples, plan.eval_labels(task), Transform(dataset->info()),
                {.batch = static_cast<int64_t>(samples.size()), .threads = 0});
  const auto batch = *loader.next();
  auto old_answer = at::zeros_like(batch.labels);
  for (const auto& request : before) {
    const auto answer = predicted(*request.network, batch);
    for (size_t i = 0; i < chosen.size(); ++i) {
      const auto row = static_cast<int64_t>(i);
      if (request.classes.contains(chosen[i].shows)) old_answer[row] = answer[row];
    }
  }
  const auto new_answer = predicted(after, batch);
  PictureGrid grid = {.title = fmt::format("{} forgotten: {}", dataset->info().name,
                                           plan.short_names(task.forgotten)),
                      .columns = {"image", "truth", "before", "after"},
                      .rows = {},
                      .legend = legend_of({batch.labels, old_answer, new_answer}, plan),
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
