// For unit tests: a small segmentation dataset, network and method. They check that the interfaces
// support masks, a feature map and one growing head.
#pragma once

#include "lethe/core/random.h"
#include "lethe/data/dataset.h"
#include "lethe/method/method.h"
#include "lethe/model/conv_norm.h"
#include "lethe/model/init.h"
#include "lethe/model/network.h"
#include "lethe/model/torch.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/options.h"

namespace lethe::test {

// 8x8 images. Image i contains class 1 + i % classes as a bright square on background, with a
// border of void.
class SquareSet : public Dataset {
 public:
  SquareSet(int64_t size, int64_t classes) : size_(size), classes_(classes) {
    info_.name = "squares";
    info_.problem = Problem::kMasks;
    info_.class_names = {"background"};
    for (int64_t i = 1; i <= classes; ++i)
      info_.class_names.push_back("square " + std::to_string(i));
    info_.channels = 1;
    info_.height = info_.width = 8;
    info_.mean = {0.5};
    info_.std = {0.5};
  }
  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return size_; }
  std::vector<int64_t> labels_of(int64_t index) const override { return {1 + index % classes_}; }
  Sample get(int64_t index) const override {
    const int64_t label = labels_of(index)[0];
    Sample sample;
    sample.image = at::zeros({1, 8, 8}, at::kByte);
    sample.mask = at::zeros({8, 8}, at::kByte);
    const int64_t at = index % 3;
    sample.image[0].slice(0, 2 + at, 5 + at).slice(1, 2, 6).fill_(60 * label);
    sample.mask.slice(0, 1 + at, 6 + at).slice(1, 1, 7).fill_(255);
    sample.mask.slice(0, 2 + at, 5 + at).slice(1, 2, 6).fill_(label);
    return sample;
  }

 private:
  int64_t size_;
  int64_t classes_;
  DatasetInfo info_;
};

// Two tasks of squares, with a request before the second task and one after it.
inline StreamOptions squares_stream() {
  StreamOptions options;
  options.task_sizes = {2, 1};
  options.requests = {{.classes = {"square 1"}, .before_task = 2},
                      {.classes = {"square 3"}, .before_task = 3}};
  return options;
}

// Gives 18, 9 and 5 steps for 36 images.
inline TrainOptions squares_training() {
  TrainOptions options;
  options.epochs = 3;
  options.batch = 4;
  options.lr = options.lr_next = 0.05;
  options.schedule = "cosine";
  options.warmup_epochs = 0;
  options.weight_decay = 5e-4;
  options.request_steps = 5;
  options.checkpoint_minutes = 0;
  return options;
}

// Two convolutions: a feature map at half size, and one head that grows by rows. The logits have
// the size of the input.
class TinySegmenter : public Network {
 public:
  explicit TinySegmenter(uint64_t seed) : seed_(seed) {
    conv_ = register_module("conv", std::make_shared<Convolution>(
                                        ConvOptions{.in = 1, .out = 6, .kernel = 3, .stride = 2}));
    init_parameters(*conv_, seed);
  }
  ModelOutput forward(const at::Tensor& images) override {
    const auto features = torch::relu(conv_->forward(images));
    std::vector<at::Tensor> scores;
    for (const auto& row : rows_) scores.push_back(torch::conv2d(features, row));
    const auto logits = torch::cat(scores, 1);
    return {features, without_erased(torch::upsample_bilinear2d(
                          logits, {images.size(2), images.size(3)}, false))};
  }
  Problem problem() const override { return Problem::kMasks; }
  int64_t feature_dim() const override { return 6; }
  void add_classes(int64_t count, uint64_t seed) override {
    if (rows_.empty()) ++count;  // background is the first class
    const auto name = "classifier" + std::to_string(rows_.size());
    auto row = torch::empty({count, 6, 1, 1});
    fill_xavier_normal(row, seed, name);
    rows_.push_back(register_parameter(name, row));
    if (heads_.empty()) heads_.push_back({0, 0});
    heads_.front().count += count;  // one head for all classes
  }
  std::shared_ptr<Network> skeleton() const override {
    auto copy = std::make_shared<TinySegmenter>(seed_);
    for (size_t i = 0; i < rows_.size(); ++i)
      copy->add_classes(rows_[i].size(0) - (i == 0 ? 1 : 0), seed_);
    copy->mask(erased());
    return copy;
  }
  std::vector<ClassEntry> class_entries() const override {
    std::vector<ClassEntry> entries;
    ClassId first = 0;
    for (const auto& rows : rows_) {
      entries.push_back({.name = "classifier" + std::to_string(entries.size()),
                         .classes = ClassSet::range(first, rows.size(0))});
      first += rows.size(0);
    }
    return entries;
  }

 private:
  uint64_t seed_;
  std::shared_ptr<Convolution> conv_;
  std::vector<at::Tensor> rows_;
};

// Runs the student on three inputs and, from the second task on, the old model. Has a trainable
// tensor and a buffer. In a request-only event it pulls the student's output for noise towards the
// output of the old model, with batch norm in evaluation mode.
class ThreePasses : public Method {
 public:
  void begin_task(const Task& task, Learner& learner) override {
    seed_ = learner.seed;
    if (!offset_.defined()) offset_ = torch::zeros({1}, torch::requires_grad());
    seen = task.seen();
    ++begun;
  }
  LossTerms losses(Step& step) override {
    ++calls;
    if (!step.task().has_images()) {
      const auto noise = torch::linspace(-1, 1, 128).reshape({2, 1, 8, 8});
      const auto now = step.student(noise, Statistics::kRunning).logits;
      return {{"hold", (now - step.old(noise).logits + offset_).pow(2).mean()}};
    }
    const auto& x = step.batch().images;
    const auto flipped = x.flip({3});
    const auto dark = x * 0.5;
    LossTerms terms = {
        {"ce", at::cross_entropy_loss(step.student(x).logits, step.batch().labels, {},
                                      at::Reduction::Mean, kVoid)},
        {"flip",
         (step.student(flipped).features - step.student(x).features.flip({3})).pow(2).mean(), 0.1},
        {"dark", (step.student(dark).features.mean() + offset_).pow(2).mean(), 0.1}};
    if (step.has_old()) {
      const auto& old = step.old(x).logits;
      terms.push_back(
          {"kd", (step.student(x).logits.narrow(1, 0, old.size(1)) - old).pow(2).mean(), 0.1});
    }
    student_passes = step.student_passes();
    old_passes = step.old_passes();
    mean_ = step.student(x).features.detach().mean({0, 2, 3});
    return terms;
  }
  void end_task(const Task&, Learner&) override { ++ended; }
  std::vector<NamedTensor> parameters() override { return {{"offset", offset_}}; }
  StateDict state() const override {
    StateDict all = {{"offset", offset_.detach()}};
    if (mean_.defined()) all["mean"] = mean_;
    return all;
  }
  void load(const StateDict& state) override {
    if (!offset_.defined()) offset_ = torch::zeros({1}, torch::requires_grad());
    const at::NoGradGuard no_grad;
    offset_.copy_(state.at("offset"));
    if (state.contains("mean")) mean_ = state.at("mean");
  }

  int begun = 0, ended = 0, calls = 0, student_passes = 0, old_passes = 0;
  ClassSet seen;

 private:
  uint64_t seed_ = 0;
  at::Tensor offset_;
  at::Tensor mean_;
};

}  // namespace lethe::test
