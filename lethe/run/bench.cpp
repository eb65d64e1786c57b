#include "lethe/run/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <numeric>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/shell.h"
#include "lethe/core/system.h"
#include "lethe/method/code_contrastive.h"
#include "lethe/method/pixel_contrastive.h"
#include "lethe/model/torch.h"
#include "lethe/report/table.h"
#include "lethe/run/experiment.h"

namespace lethe {

namespace {

constexpr int64_t kWarmUp = 5;  // steps of a round that do not count

// What one round measured in the task.
class StepMeter : public Listener {
 public:
  explicit StepMeter(int64_t task) : task_(task) {}
  void on(const StepDone& event) override {
    if (event.position.task != task_ || event.position.task_step < kWarmUp) return;
    images += static_cast<double>(event.images);
    seconds += event.seconds;
    steps += 1;
    passes = event.passes;
  }
  void on(const EpochDone& event) override {
    if (event.position.task != task_) return;
    for (const auto& [phase, time] : event.phase_seconds) phases[phase] += time;
  }

  double images = 0;
  double seconds = 0;
  double steps = 0;
  PassCounts passes;
  std::map<std::string, double> phases;

 private:
  int64_t task_;
};

struct MethodTimes {
  std::vector<double> rates;         // images/s
  std::vector<double> step_seconds;  // of one step
  std::map<std::string, double> phases;
  PassCounts passes;
};

// What a step should cost beside one of plain training: an old pass has no way back, which is two
// thirds of a pass; a pass of few inputs is a part of one.
double expected_cost(const PassCounts& passes, int64_t batch) {
  return (static_cast<double>(passes.student_inputs) + static_cast<double>(passes.old_inputs) / 3) /
         static_cast<double>(batch);
}

// The command line that made a table.
std::string command_of(const char* bench, const BenchOptions& options) {
  std::string text = fmt::format("lethe bench {}", bench);
  if (options.preset != BenchOptions{}.preset) text += " --preset " + shell_quoted(options.preset);
  if (options.task != BenchOptions{}.task) text += fmt::format(" --task {}", options.task);
  if (!options.methods.empty())
    text += " --methods " + shell_quoted(fmt::format("{}", fmt::join(options.methods, ",")));
  if (options.rounds != BenchOptions{}.rounds) text += fmt::format(" --rounds {}", options.rounds);
  if (options.steps != BenchOptions{}.steps) text += fmt::format(" --steps {}", options.steps);
  for (const auto& assignment : options.sets) text += " --set " + shell_quoted(assignment);
  return text + fmt::format(" --threads {}", options.threads);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

TaskKind kind_of(const BenchOptions& options) {
  RunConfig config;
  configure(config, read_config(options.preset, options.sets));
  return find_dataset(config.data.name).kind();
}

void measure(const std::string& method, const BenchOptions& options, MethodTimes& times,
             std::string& setup, int64_t& batch) {
  RunConfig config;
  auto text = read_config(options.preset, {});
  text.set("method.name=" + method);
  text.set("train.epochs=1000");  // the cap ends a task
  text.set(fmt::format("train.max_steps={}", options.steps + kWarmUp));
  text.set("data.train_per_class=500");
  text.set("data.test_per_class=20");  // what is measured are steps, not evaluations
  for (const auto& assignment : options.sets) text.set(assignment);
  configure(config, text);
  const auto experiment = make_experiment(config);
  if (options.task > static_cast<int64_t>(experiment.plan->tasks().size()))
    throw_error<ConfigError>("--task {}: the stream has {} tasks", options.task,
                             experiment.plan->tasks().size());
  StepMeter meter(options.task);
  Trainer trainer(config.train, config.eval, trainer_parts(experiment, config, {}), {&meter});
  trainer.run();
  times.rates.push_back(meter.images / meter.seconds);
  for (const auto& [phase, seconds] : meter.phases) times.phases[phase] += seconds;
  times.step_seconds.push_back(meter.seconds / meter.steps);
  times.passes = meter.passes;
  const auto& info = experiment.data.train->info();
  batch = config.train.batch;
  setup =
      fmt::format("{} {}x{}, {} of width {} with {} stem{}, batch {}", config.data.name, info.width,
                  info.height, config.model.name, config.model.width, config.model.stem,
                  *config.model.channels_last ? ", channels_last" : "", config.train.batch);
}

}  // namespace

std::string bench_throughput(const BenchOptions& options) {
  std::vector<std::string> methods = options.methods;
  if (methods.empty()) {
    methods = MethodRegistry::builtin().names(kind_of(options));
  }
  std::map<std::string, MethodTimes> times;
  std::string setup;
  int64_t batch = 1;
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (const auto& method : methods) {
      measure(method, options, times[method], setup, batch);
      log_info("round {}/{} {}: {:.0f} images/s", round + 1, options.rounds, method,
               times[method].rates.back());
    }
  }
  const std::vector<std::string> phases = {"data",   "student",  "old model",
                                           "losses", "backward", "optimiser"};
  std::vector<std::string> header = {"method",    "images/s", "range",  "relative",
                                     "step cost", "expected", "passes", "old passes"};
  for (const auto& phase : phases) header.push_back(phase + " %");
  header.push_back("rest %");
  const auto& base = times[methods.front()].rates;
  std::vector<std::vector<std::string>> rows;
  for (const auto& method : methods) {
    auto& own = times[method];
    const auto [low, high] = std::minmax_element(own.rates.begin(), own.rates.end());
    std::vector<double> ratios;  // within a round: what else the machine does hits both
    for (size_t i = 0; i < own.rates.size(); ++i) ratios.push_back(own.rates[i] / base[i]);
    std::vector<std::string> row = {method,
                                    fmt::format("{:.0f}", median(own.rates)),
                                    fmt::format("{:.0f} - {:.0f}", *low, *high),
                                    fmt::format("{:.2f}", median(ratios)),
                                    fmt::format("{:.2f}", 1 / median(ratios)),
                                    fmt::format("{:.2f}", expected_cost(own.passes, batch)),
                                    std::to_string(own.passes.student),
                                    std::to_string(own.passes.old)};
    const double whole = own.phases["epoch"];
    double known = 0;
    for (const auto& phase : phases) {
      known += own.phases[phase];
      row.push_back(percent(own.phases[phase] / whole));
    }
    row.push_back(percent(std::max(0.0, 1 - known / whole)));
    rows.push_back(std::move(row));
  }
  return fmt::format(
      "# Throughput of a training step\n\n"
      "Written by `{}` (commit {}, LibTorch {}, {}).\n\n"
      "Setup: {}; task {}, {} steps after {} to warm up, {} rounds with the methods "
      "alternating. "
      "images/s: median of the rounds; relative: median of the ratios to the first method within a "
      "round; step cost: its inverse; expected: inputs through the student, and a third of those "
      "through the old model (no way back), per image of the batch; passes: trunk passes per step. "
      "student and old model are forward passes; data is waiting for the loader.\n\n{}",
      command_of("throughput", options), commit(), torch_version(), cpu_name(), setup, options.task,
      options.steps, kWarmUp, options.rounds, markdown_table(header, rows));
}

namespace {

// Gives its input back as features: what a step costs apart from any trunk.
class NoTrunk : public Network {
 public:
  NoTrunk(int64_t dim, LabelSpace space) : dim_(dim), space_(space) {
    register_parameter("unused", torch::zeros({1}));
  }
  ModelOutput forward(const at::Tensor& images) override {
    auto features = images.detach();
    if (space_ == LabelSpace::kShared) return {features.requires_grad_(), answer};
    return {features.flatten(1).requires_grad_(), at::zeros({images.size(0), num_classes()})};
  }
  LabelSpace label_space() const override { return space_; }
  int64_t feature_dim() const override { return dim_; }
  void add_classes(int64_t count, uint64_t) override {
    if (space_ == LabelSpace::kPerTask || heads_.empty()) heads_.push_back({num_classes(), 0});
    heads_.back().count += count;
  }
  std::shared_ptr<Network> skeleton() const override {
    return std::make_shared<NoTrunk>(dim_, space_);
  }

  at::Tensor answer;  // on masks: the scores that it gives

 private:
  int64_t dim_;
  LabelSpace space_;
};

// What the contrastive terms work on, made up.
class TermsOfOneStep {
 public:
  TermsOfOneStep(const RunConfig& config, const Experiment& experiment)
      : plan_(*experiment.plan),
        batch_(config.train.batch),
        dim_(experiment.network->feature_dim()),
        space_(experiment.network->label_space()),
        network_(dim_, space_),
        old_(dim_, space_) {
    const auto& options = config.method_groups.get<ContrastiveOptions>();
    const auto& info = experiment.data.train->info();
    if (space_ == LabelSpace::kShared) {
      const at::NoGradGuard no_grad;
      experiment.network->eval();
      const auto features =
          experiment.network->forward(torch::zeros({1, info.channels, info.height, info.width}))
              .features;
      map_ = {features.size(2), features.size(3)};
      image_ = {info.height, info.width};
      method_ = std::make_unique<PixelContrastive>(options);
      return;
    }
    info_.channels = dim_;
    info_.height = info_.width = 1;
    info_.mean.assign(static_cast<size_t>(dim_), 0.5);
    info_.std.assign(static_cast<size_t>(dim_), 0.25);
    codes_ = std::make_shared<CodeBook>(CodeOptions{.grid = 1});
    method_ = std::make_unique<CodeContrastive>(options, codes_);
  }

  // Seconds of a step that consists of the contrastive terms alone, with their way back.
  double seconds(int64_t task, int64_t steps) {
    Stopwatch watch;
    int64_t number = 0;
    double seconds = 0;
    for (int64_t t = 1; t <= task; ++t) {
      const auto& now = plan_.task(t);
      network_.add_classes(now.new_classes.size() + (plan_.has_background() && t == 1 ? 1 : 0), 0);
      Learner learner{
          .network = network_, .old = nullptr, .plan = plan_, .seed = 0, .info = &info_};
      if (codes_) codes_->begin_task(now, learner);
      method_->begin_task(now, learner);
      for (int64_t i = 0; i < (t == task ? steps + kWarmUp : 1); ++i, ++number) {
        const auto batch = draw_batch(now);
        const auto start = std::chrono::steady_clock::now();
        Step step(now, batch, network_, t > 1 ? &old_ : nullptr, watch,
                  {.step = number, .epoch = t});
        at::Tensor total;
        for (const auto& term : method_->losses(step)) {
          const auto weighted = term.value * term.weight;
          total = total.defined() ? total + weighted : weighted;
        }
        if (total.defined()) total.backward();
        if (t == task && i >= kWarmUp)
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
    if (space_ != LabelSpace::kShared)
      return {.images = torch::randn({batch_, dim_, 1, 1}),
              .labels = torch::randint(first, end, {batch_}, torch::kLong)};
    // A quarter of the positions shows new classes; in the rest the old model sees any old one.
    const auto cells = [&](int64_t from, int64_t to) {
      return torch::randint(from, to, {batch_, map_[0], map_[1]}, torch::kLong);
    };
    const auto enlarged = [&](const at::Tensor& map) {
      return torch::upsample_nearest2d(map, image_);
    };
    const auto labels =
        at::where(cells(0, 4) == 0, cells(first, end), at::zeros({1}, torch::kLong));
    old_.answer =
        enlarged(torch::one_hot(cells(0, first), first).permute({0, 3, 1, 2}).to(torch::kFloat));
    return {.images = torch::randn({batch_, dim_, map_[0], map_[1]}),
            .labels = enlarged(labels.unsqueeze(1).to(torch::kFloat)).squeeze(1).to(torch::kLong)};
  }

  const TaskPlan& plan_;
  int64_t batch_, dim_;
  LabelSpace space_;
  NoTrunk network_, old_;
  DatasetInfo info_;
  std::vector<int64_t> map_, image_;  // height, width
  std::shared_ptr<CodeBook> codes_;
  std::unique_ptr<Contrastive> method_;
};

}  // namespace

std::string bench_terms(const BenchOptions& options) {
  const bool masks = kind_of(options) == TaskKind::kSegmentation;
  std::vector<std::vector<std::string>> rows;
  std::string setup;
  int64_t batch = 1;
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
    MethodTimes times;
    std::vector<double> terms, shares;
    for (int64_t round = 0; round < options.rounds; ++round) {
      measure("contrastive", own, times, setup, batch);
      terms.push_back(TermsOfOneStep(config, experiment).seconds(task, options.steps));
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
      "Setup: {}; {}; {} rounds of {} steps, the two sides alternating. terms: all contrastive "
      "terms with prototypes, grouping and their way "
      "back to the features, without any trunk pass; step: a whole training step of the method. "
      "Medians; share: median and range over the rounds.\n\n{}",
      command_of("terms", options), commit(), torch_version(), cpu_name(), setup,
      masks ? "two tasks as the preset has them"
            : "five tasks of two classes, one of each forgotten",
      options.rounds, options.steps,
      markdown_table({"task", "terms ms", "step ms", "share %", "range %"}, rows));
}

}  // namespace lethe
