#include "lethe/audit/rows.h"

#include <algorithm>
#include <functional>

#include "lethe/core/error.h"
#include "lethe/core/random.h"
#include "lethe/core/signals.h"
#include "lethe/data/loader.h"
#include "lethe/features/pixels.h"
#include "lethe/model/evaluation_mode.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr int64_t kSide = 16;  // of a scaled image
constexpr int64_t kReach = 2;  // colours on each side of a pixel

// At most per_class of each class, chosen by seed, in order.
at::Tensor chosen_rows(const at::Tensor& labels, const ClassSet& classes,
                       const RowOptions& options) {
  std::vector<at::Tensor> parts;
  for (const ClassId id : classes) {
    auto own = (labels == id).nonzero().squeeze(1);
    if (options.per_class > 0 && own.size(0) > options.per_class) {
      Random random(options.seed, Purpose::kAuditRows, static_cast<uint32_t>(id));
      auto order = random.permutation(own.size(0));
      order.resize(static_cast<size_t>(options.per_class));
      own = own.index_select(0, at::tensor(order, at::kLong));
    }
    parts.push_back(own);
  }
  if (parts.empty()) return at::empty({0}, at::kLong);
  return std::get<0>(at::cat(parts).sort());
}

// Calls the function with every batch of the samples and the number of its first sample.
void each_batch(const Rows& rows, const RowOptions& options,
                const std::function<void(const Batch&, int64_t first)>& use) {
  Loader loader(rows.dataset, rows.samples, rows.labels_of, Transform(rows.dataset->info()),
                {.batch = options.batch, .threads = options.loader_threads});
  int64_t first = 0;
  while (auto batch = loader.next()) {
    if (stop_requested()) throw Interrupted("stopped by a signal during the audit");
    use(*batch, first);
    first += batch->size();
  }
}

// Rows and columns on a grid of another size, as a flat index.
at::Tensor places_on(const Rows& rows, const at::Tensor& places, int64_t height, int64_t width) {
  const auto row = at::floor_divide(places, rows.grid_width);
  const auto column = places - row * rows.grid_width;
  return at::floor_divide(row * height, rows.grid_height) * width +
         at::floor_divide(column * width, rows.grid_width);
}

// The rows of a batch: their numbers, and the position of their image in the batch.
struct InBatch {
  at::Tensor numbers, image;
};
InBatch rows_in(const Rows& rows, int64_t first, int64_t count) {
  const auto own = ((rows.unit >= first) & (rows.unit < first + count)).nonzero().squeeze(1);
  return {.numbers = own, .image = rows.unit.index_select(0, own) - first};
}

// [B, D, h, w] -> [n, D] at the places of the rows.
at::Tensor at_places(const at::Tensor& map, const Rows& rows, const InBatch& own) {
  const auto places =
      places_on(rows, rows.place.index_select(0, own.numbers), map.size(2), map.size(3));
  const auto index = own.image * map.size(2) * map.size(3) + places;
  return pixel_rows(map).index_select(0, index);
}

}  // namespace

int64_t Rows::count(ClassId id) const {
  return size() == 0 ? 0 : (labels == id).sum().item<int64_t>();
}

at::Tensor Rows::strata() const {
  const auto units = static_cast<int64_t>(samples.size());
  if (place.defined()) return at::zeros({units}, at::kLong);
  auto strata = at::zeros({units}, at::kLong);
  strata.index_put_({unit}, labels);
  return strata;
}

Rows Rows::subset(const at::Tensor& numbers) const {
  Rows part = *this;
  part.labels = labels.index_select(0, numbers);
  if (place.defined()) part.place = place.index_select(0, numbers);
  const auto [units, inverse, counts] =
      at::unique_consecutive(unit.index_select(0, numbers), /*return_inverse=*/true);
  part.unit = inverse;
  part.samples.clear();
  for (int64_t i = 0; i < units.size(0); ++i)
    part.samples.push_back(samples.at(static_cast<size_t>(units[i].item<int64_t>())));
  return part;
}

Rows image_rows(const DatasetPtr& dataset, const LabelMap& labels_of, const ClassSet& classes,
                const RowOptions& options) {
  Rows all{.dataset = dataset, .labels_of = labels_of};
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < dataset->size(); ++i) {
    const auto own = labels_of.at(static_cast<size_t>(dataset->labels_of(i).front()));
    if (!classes.contains(own)) continue;
    all.samples.push_back(i);
    labels.push_back(own);
  }
  all.labels = at::tensor(labels, at::kLong);
  all.unit = at::arange(std::ssize(labels));
  return all.subset(chosen_rows(all.labels, classes, options));
}

Rows pixel_rows_of(const DatasetPtr& dataset, const LabelMap& labels_of, const ClassSet& classes,
                   Network& network, const RowOptions& options) {
  Rows all{.dataset = dataset, .labels_of = labels_of};
  const at::NoGradGuard no_grad;
  const EvaluationMode mode(network);
  for (int64_t i = 0; i < dataset->size(); ++i) {
    const auto own = dataset->labels_of(i);
    if (classes.contains(0) || std::any_of(own.begin(), own.end(), [&](int64_t label) {
          return classes.contains(labels_of.at(static_cast<size_t>(label)));
        }))
      all.samples.push_back(i);
  }
  std::vector<at::Tensor> labels, units, places;
  each_batch(all, options, [&](const Batch& batch, int64_t first) {
    if (all.grid_height == 0) {
      const auto map = network.forward(batch.images.slice(0, 0, 1).to(network.device())).features;
      all.grid_height = map.size(2);
      all.grid_width = map.size(3);
    }
    const auto grid = downsample_labels(batch.labels, all.grid_height, all.grid_width).flatten(1);
    labels.push_back(grid.flatten());
    units.push_back(at::arange(first, first + batch.size()).repeat_interleave(grid.size(1)));
    places.push_back(at::arange(grid.size(1)).repeat({batch.size()}));
  });
  const auto joined = [](const std::vector<at::Tensor>& parts) {
    return parts.empty() ? at::empty({0}, at::kLong) : at::cat(parts);
  };
  all.labels = joined(labels);
  all.unit = joined(units);
  all.place = joined(places);
  return all.subset(chosen_rows(all.labels, classes, options));
}

Embedding embed(Network& network, const Rows& rows, const RowOptions& options) {
  const at::NoGradGuard no_grad;
  const EvaluationMode mode(network);
  Embedding all;
  const auto put = [&](at::Tensor& whole, const at::Tensor& part, const at::Tensor& numbers) {
    const auto values = part.to(at::kFloat).cpu();
    if (!whole.defined()) whole = at::empty({rows.size(), values.size(1)});
    whole.index_copy_(0, numbers, values);
  };
  each_batch(rows, options, [&](const Batch& batch, int64_t first) {
    const auto own = rows_in(rows, first, batch.size());
    const auto staged = network.forward_stages(batch.images.to(network.device()));
    all.stages.resize(staged.stages.size());
    const auto of_rows = [&](const at::Tensor& values) {
      return values.dim() == 2 ? values.cpu() : at_places(values.cpu(), rows, own);
    };
    for (size_t k = 0; k < all.stages.size(); ++k)
      put(all.stages[k], of_rows(staged.stages[k]), own.numbers);
    put(all.logits, of_rows(staged.output.logits), own.numbers);
  });
  return all;
}

at::Tensor raw_pixels(const Rows& rows, const RowOptions& options) {
  at::Tensor all;
  each_batch(rows, options, [&](const Batch& batch, int64_t first) {
    const auto own = rows_in(rows, first, batch.size());
    at::Tensor values;
    if (!rows.place.defined()) {
      values = torch::adaptive_avg_pool2d(batch.images, {kSide, kSide}).flatten(1);
    } else {
      const int64_t size = 2 * kReach + 1;
      const auto patches =
          torch::im2col(batch.images, {size, size}, {1, 1}, {kReach, kReach}, {1, 1})
              .reshape({batch.size(), -1, batch.images.size(2), batch.images.size(3)});
      values = at_places(patches, rows, own);
    }
    if (!all.defined()) all = at::empty({rows.size(), values.size(1)});
    all.index_copy_(0, own.numbers, values);
  });
  return all;
}

}  // namespace lethe
