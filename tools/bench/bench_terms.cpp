#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/method/contrastive/contrastive_options.h"
#include "lethe/model/torch.h"
#include "lethe/report/table.h"
#include "lethe/run/experiment.h"
#include "tools/bench/bench_round.h"

namespace lethe {

namespace {

// Returns its input as features: the cost of a step without any backbone.
class NoBackbone : public Network {
 public:
  NoBackbone(int64_t dim, Problem space) : dim_(dim), space_(space) {
    register_parameter("unused", torch::zeros({1}));
  }
  ModelOutput forward(const at::Tensor& images) override {
    auto features = images.detach();
    if (space_ == Problem::kMasks) return {features.requires_grad_(), logits};
    return {features.flatten(1).requires_grad_(), at::zeros({images.size(0), num_classes()})};
  }
  Problem problem() const override { return space_; }
  int64_t feature_dim() const override { return dim_; }
  void add_classes(int64_t count, uint64_t) override {
    if (space_ == Problem::kImages || heads_.empty()) heads_.push_back({num_classes(), 0});
    heads_.back().count += count;
  }
  std::shared_ptr<Network> skeleton() const override {
    return std::make_shared<NoBackbone>(dim_, space_);
  }

  at::Tensor logits;  // segmentation: the output to return

 private:
  int64_t dim_;
  Problem space_;
};

// Height and width of the feature map; empty for classification.
std::vector<int64_t> map_size(const Experiment& experiment) {
  auto& network = *experiment.network;
  if (network.problem() != Problem::kMasks) return {};
  const at::NoGradGuard no_grad;
  const auto& info = experiment.data.train->info();
  network.add_classes(1, 0);  // a forward pass needs a class
  network.eval();
  const auto features =
      network
          .forward(torch::zeros({1, info.channels, info.height, info.width}).to(network.device()))
          .features;
  return {features.size(2), features.size(3)};
}

// Runs the contrastive terms on random features.
class TermsOfOneStep {
 public:
  // map: see map_size().
  TermsOfOneStep(const RunConfig& config, const Experiment& experiment, std::vector<int64_t> map)
      : plan_(*experiment.plan),
        batch_(config.train.batch_size()),
        dim_(experiment.network->feature_dim()),
        space_(experiment.network->problem()),
        network_(dim_, space_),
        old_(dim_, space_),
        map_(std::move(map)) {
    const auto& options = config.method_groups.get<ContrastiveOptions>();
    const auto& info = experiment.data.train->info();
    if (space_ == Problem::kMasks) {
      image_ = {info.height, info.width};
      method_ = std::make_unique<Contrastive>(options.settings(),
                                              std::make_unique<PixelRows>(options.pixel_rows()));
      return;
    }
    info_.channels = dim_;
    info_.height = info_.width = 1;
    info_.mean.assign(static_cast<size_t>(dim_), 0.5);
    info_.std.assign(static_cast<size_t>(dim_), 0.25);
    codes_ = std::make_shared<CodeBook>(CodeSettings{.grid = 1});
    method_ = std::make_unique<Contrastive>(
        options.settings(), std::make_unique<CodeRows>(options.code_rows(), codes_));
  }

  // Seconds of a step that consists of the contrastive terms alone, with their backward pass.
  double seconds(int64_t task, int64_t steps) {
    Stopwatch watch;
    int64_t number = 0;
    double seconds = 0;
    for (int64_t t = 1; t <= task; ++t) {
      const auto& now = plan_.task(t);
      network_.add_classes(
          now.new_classes.size() + (plan_.problem() == Problem::kMasks && t == 1 ? 1 : 0), 0);
      Learner learner{
          .network = network_, .old = nullptr, .plan = plan_, .seed = 0, .info = &info_};
      if (codes_) codes_->begin_task(now, learner);
      method_->begin_task(now, learner);
      for (int64_t i = 0; i < (t == task ? steps + kWarmUpSteps : 1); ++i, ++number) {
        const auto batch = draw_batch(now);
        const auto start = std::chrono::steady_clock::now();
        Step step(now, batch, network_, t > 1 ? &old_ : nullptr, watch,
                  {.step = number, .epoch = t});
        at::Tensor total;
        method_->update(step);
        for (const auto& term : method_->losses(step)) {
          const auto weighted = term.value * term.weight;
          total = total.defined() ? total + weighted : weighted;
        }
        if (total.defined()) total.backward();
        if (t == task && i >= kWarmUpSteps)
          seconds +=
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      }
    }
    return seconds / static_cast<double>(steps);
  }

 private:
  Batch draw_batch(const Task& now) {
    const int64_t first = now.new_classes.ids().front();
    const int64_t end = now.new_classes.ids().back() + 1;
    if (space_ != Problem::kMasks)
      return {.images = torch::randn({batch_, dim_, 1, 1}),
              .labels = torch::randint(first, end, {batch_}, torch::kLong)};
    // A quarter of the positions has new classes; elsewhere the old model predicts any old class.
    const auto cells = [&](int64_t from, int64_t to) {
      return torch::randint(from, to, {batch_, map_[0], map_[1]}, torch::kLong);
    };
    const auto enlarged = [&](const at::Tensor& map) {
      return torch::upsample_nearest2d(map, image_);
    };
    const auto labels =
        at::where(cells(0, 4) == 0, cells(first, end), at::zeros({1}, torch::kLong));
    old_.logits =
        enlarged(torch::one_hot(cells(0, first), first).permute({0, 3, 1, 2}).to(torch::kFloat));
    return {.images = torch::randn({batch_, dim_, map_[0], map_[1]}),
            .labels = enlarged(labels.unsqueeze(1).to(torch::kFloat)).squeeze(1).to(torch::kLong)};
  }

  const TaskPlan& plan_;
  int64_t batch_, dim_;
  Problem space_;
  NoBackbone network_, old_;
  DatasetInfo info_;
  std::vector<int64_t> map_, image_;  // height, width
  std::shared_ptr<CodeBook> codes_;
  std::unique_ptr<Contrastive> method_;
};

}  // namespace

std::string bench_terms(const BenchOptions& options) {
  const bool masks = problem_of(options) == Problem::kMasks;
  std::vector<std::vector<std::string>> rows;
  std::string setup;
  const auto tasks = masks ? std::vector<int64_t>{2} : std::vector<int64_t>{2, 5};
  for (const int64_t task : tasks) {
    auto own = options;
    own.task = task;
    if (!masks)
      own.sets.insert(own.sets.begin(), {"stream.tasks=[2, 2, 2, 2, 2]", "requests=[]",
                                         "stream.forget_fraction=0.5"});
    RunConfig config;
    auto text = read_config(own.preset, own.sets);
    text.set("method.name=contrastive");
    configure(config, text);
    const auto experiment = make_experiment(config);
    const auto map = map_size(experiment);
    MethodTimes times;
    std::vector<double> terms, shares;
    for (int64_t round = 0; round < options.rounds; ++round) {
      measure_round("contrastive", own, times);
      setup = times.setup;
      terms.push_back(TermsOfOneStep(config, experiment, map).seconds(task, options.steps));
      shares.push_back(terms.back() / times.step_seconds.back());
      log_info("task {} round {}/{}: {:.1f} %", task, round + 1, options.rounds,
               100 * shares.back());
    }
    const auto [low, high] = std::minmax_element(shares.begin(), shares.end());
    rows.push_back({std::to_string(task), fmt::format("{:.2f}", 1000 * median(terms)),
                    fmt::format("{:.1f}", 1000 * median(times.step_seconds)),
                    percent(median(shares)), percent(*low) + " - " + percent(*high)});
  }
  return fmt::format(
      "# Cost of the contrastive terms\n\n"
      "Written by `{}` (commit {}, LibTorch {}, {}).\n\n"
      "Setup: {}; {}; {} of {}, the two sides alternating. terms: all contrastive "
      "terms with prototypes, grouping and the backward pass to the features, without any backbone "
      "pass; step: a whole training step of the method. Medians; share: median and range over the "
      "rounds.\n\n{}",
      command_of("terms", options), commit(), torch_version(), cpu_name(), setup,
      masks ? "two tasks of the preset" : "five tasks of two classes, one class of each forgotten",
      counted(options.rounds, "round"), counted(options.steps, "step"),
      markdown_table({"task", "terms ms", "step ms", "share %", "range %"}, rows));
}

}  // namespace lethe
