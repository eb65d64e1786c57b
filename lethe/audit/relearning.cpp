#include "lethe/audit/relearning.h"

#include <torch/optim/sgd.h>

#include <algorithm>

#include "lethe/core/error.h"
#include "lethe/core/random.h"
#include "lethe/core/signals.h"
#include "lethe/data/loader.h"
#include "lethe/losses/additive_margin.h"
#include "lethe/model/cosine_head.h"
#include "lethe/model/evaluation_mode.h"
#include "lethe/model/init.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// Rows by class, drawn in turn: half of a batch to relearn, half of their rivals.
class Draws {
 public:
  Draws(const at::Tensor& labels, const RelearnTask& task, const RelearnOptions& options)
      : options_(options) {
    for (const ClassId id : task.rivals) {
      auto own = (labels == id).nonzero().squeeze(1);
      if (own.size(0) == 0) continue;
      (task.classes.contains(id) ? own_ : rest_).push_back(own);
    }
  }

  bool empty() const { return own_.empty() || rest_.empty(); }

  at::Tensor batch(int64_t step) const {
    Random random(options_.seed, Purpose::kRelearn, static_cast<uint32_t>(step));
    std::vector<int64_t> chosen;
    for (int64_t i = 0; i < options_.batch; ++i) {
      const auto& side = i % 2 == 0 ? own_ : rest_;
      const auto& rows = side[static_cast<size_t>(random.below(std::ssize(side)))];
      chosen.push_back(rows[random.below(rows.size(0))].item<int64_t>());
    }
    return at::tensor(chosen, at::kLong);
  }

 private:
  const RelearnOptions& options_;
  std::vector<at::Tensor> own_, rest_;
};

// The position of every label among the rivals, -1 for others: int64 [N].
at::Tensor positions(const at::Tensor& labels, const ClassSet& rivals) {
  auto found = at::full_like(labels, -1);
  int64_t position = 0;
  for (const ClassId id : rivals) found.masked_fill_(labels == id, position++);
  return found;
}

std::shared_ptr<CosineHeads> new_head(int64_t dim, int64_t classes, uint64_t seed) {
  auto head = std::make_shared<CosineHeads>(dim);
  const auto added = head->add(classes, at::TensorOptions(at::kFloat));
  fill_xavier_normal(added.weight, seed, "relearn." + added.name);
  return head;
}

torch::optim::SGD optimizer(const std::vector<at::Tensor>& parameters, double lr) {
  return {parameters, torch::optim::SGDOptions(lr).momentum(0.9)};
}

}  // namespace

std::vector<double> relearn_head(const at::Tensor& fit, const at::Tensor& fit_labels,
                                 const at::Tensor& test, const at::Tensor& test_labels,
                                 const RelearnTask& task, const RelearnOptions& options) {
  const Draws draws(fit_labels, task, options);
  const auto asked = is_in(test_labels, task.classes).nonzero().squeeze(1);
  if (draws.empty() || asked.size(0) == 0) return {};
  const auto targets = positions(fit_labels, task.rivals);
  const auto truth = positions(test_labels.index_select(0, asked), task.rivals);
  const auto rows = test.index_select(0, asked);
  const auto head = new_head(fit.size(1), task.rivals.size(), options.seed);
  auto sgd = optimizer(head->parameters(), options.lr);
  std::vector<double> accuracy;
  for (int64_t step = 0;; ++step) {
    {
      const at::NoGradGuard no_grad;
      accuracy.push_back(
          (head->forward(rows).argmax(1) == truth).to(at::kDouble).mean().item<double>());
    }
    if (step == options.most_steps) return accuracy;
    const auto batch = draws.batch(step);
    sgd.zero_grad();
    additive_margin_loss(head->forward(fit.index_select(0, batch)), targets.index_select(0, batch))
        .backward();
    sgd.step();
  }
}

std::vector<double> relearn_network(Network& network, const Rows& fit, const Rows& test,
                                    const RelearnTask& task, int64_t every,
                                    const RelearnOptions& options, const RowOptions& rows) {
  const Draws draws(fit.labels, task, options);
  const auto asked = is_in(test.labels, task.classes).nonzero().squeeze(1);
  if (draws.empty() || asked.size(0) == 0) return {};
  const auto copy = network.skeleton();
  copy->to(network.device());
  {
    const at::NoGradGuard no_grad;
    auto values = named_state(*copy);
    for (const auto& [name, value] : named_state(network)) values.at(name).copy_(value);
  }
  copy->eval();
  for (auto& parameter : copy->parameters()) parameter.set_requires_grad(true);
  const auto head = new_head(copy->feature_dim(), task.rivals.size(), options.seed);
  head->to(network.device());
  auto parameters = copy->parameters();
  for (const auto& own : head->parameters()) parameters.push_back(own);
  auto sgd = optimizer(parameters, options.lr);
  const auto targets = positions(fit.labels, task.rivals);
  const auto measured = test.subset(asked);
  const auto truth = positions(measured.labels, task.rivals);
  const Transform transform(fit.dataset->info());
  std::vector<double> accuracy;
  for (int64_t step = 0;; ++step) {
    if (step % every == 0) {
      const at::NoGradGuard no_grad;
      const auto features = embed(*copy, measured, rows).stages.back().to(network.device());
      accuracy.push_back(
          (head->forward(features).argmax(1).cpu() == truth).to(at::kDouble).mean().item<double>());
    }
    if (step >= options.most_steps) return accuracy;
    if (stop_requested()) throw Interrupted("stopped by a signal during the audit");
    const auto batch = draws.batch(step);
    std::vector<int64_t> samples;
    for (int64_t i = 0; i < batch.size(0); ++i)
      samples.push_back(
          fit.samples.at(static_cast<size_t>(fit.unit[batch[i].item<int64_t>()].item<int64_t>())));
    Loader loader(fit.dataset, samples, fit.labels_of, transform,
                  {.batch = options.batch, .threads = 0});
    const auto images = loader.next()->images.to(network.device());
    sgd.zero_grad();
    additive_margin_loss(head->forward(copy->forward(images).features),
                         targets.index_select(0, batch).to(network.device()))
        .backward();
    sgd.step();
  }
}

int64_t steps_until(const std::vector<double>& accuracy, double target) {
  const auto found =
      std::find_if(accuracy.begin(), accuracy.end(), [&](double value) { return value >= target; });
  return found - accuracy.begin();
}

}  // namespace lethe
