// For tests of methods: a segmentation stream with two tasks. The first has background, 'a' and
// 'b', the second has 'c'. 'a' is forgotten before the second task.
#pragma once

#include "tests/support/fake_tasks.h"

namespace lethe::test {

// Features: a 1x1 convolution of the image at half size. Logits: a 1x1 convolution of the features,
// at full size. With heads = true also the score "unknown", as in SSUL.
class MaskNetwork : public Network {
 public:
  explicit MaskNetwork(bool heads, int64_t dim = 8) : with_unknown_(heads), dim_(dim) {
    trunk_ = register_parameter("trunk", torch::linspace(-1, 1, dim * 3).reshape({dim, 3, 1, 1}));
    if (heads)
      unknown_ = register_parameter("classifier_unknown", torch::ones({1, dim, 1, 1}) * 0.1);
  }
  ModelOutput forward(const at::Tensor& images) override {
    const auto features = torch::relu(torch::conv2d(torch::avg_pool2d(images, {2, 2}), trunk_));
    const auto enlarged = [&](const at::Tensor& weight) {
      return torch::upsample_bilinear2d(torch::conv2d(features, weight),
                                        {images.size(2), images.size(3)}, false);
    };
    ModelOutput output{
        .features = features, .logits = without_erased(enlarged(torch::cat(rows_))), .unknown = {}};
    if (with_unknown_) output.unknown = enlarged(unknown_);
    return output;
  }
  Problem problem() const override { return Problem::kMasks; }
  int64_t feature_dim() const override { return dim_; }
  bool is_head_parameter(const std::string& name) const override {
    return name.starts_with("classifier");
  }
  void add_classes(int64_t count, uint64_t) override {
    if (rows_.empty()) ++count;
    const auto name = "classifier" + std::to_string(rows_.size());
    rows_.push_back(register_parameter(
        name, torch::sin(1.7 * torch::arange(count * dim_)).reshape({count, dim_, 1, 1})));
    if (heads_.empty()) heads_.push_back({0, 0});
    heads_.front().count += count;
  }
  std::shared_ptr<Network> skeleton() const override {
    auto copy = std::make_shared<MaskNetwork>(with_unknown_, dim_);
    for (size_t i = 0; i < rows_.size(); ++i)
      copy->add_classes(rows_[i].size(0) - (i == 0 ? 1 : 0), 0);
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
  bool with_unknown_;
  int64_t dim_;
  at::Tensor trunk_, unknown_;
  std::vector<at::Tensor> rows_;
};

class FakeMaskStream : public FakeTasks<Network> {
 protected:
  static DatasetInfo make_info() {
    DatasetInfo info;
    info.name = "toy masks";
    info.problem = Problem::kMasks;
    info.class_names = {"background", "a", "b", "c"};
    info.channels = 3;
    info.height = info.width = 8;
    info.mean = {0.5, 0.5, 0.5};
    info.std = {0.25, 0.25, 0.25};
    return info;
  }
  static StreamOptions make_stream() {
    StreamOptions options;
    options.task_sizes = {2, 1};
    options.requests = {{.classes = {"a"}, .before_task = 2}};
    return options;
  }

  FakeMaskStream() : FakeTasks(make_info(), make_stream()) {}

  // Resolves the options in groups_; a test may still change them afterwards.
  std::unique_ptr<Method> make(const std::string& name) {
    const auto& recipe = MethodRegistry::builtin().find(name).recipe(Problem::kMasks);
    recipe.resolve(groups_, info_);
    network_ = std::make_shared<MaskNetwork>(false);
    network_->add_classes(2, 0);
    return recipe.make(groups_);
  }
  // One image per label: the left half contains the class, the last column is void.
  static Batch batch_of(const std::vector<int64_t>& labels) {
    const auto count = static_cast<int64_t>(labels.size());
    auto masks = torch::zeros({count, 8, 8}, torch::kLong);
    auto images = torch::randn({count, 3, 8, 8});
    for (int64_t i = 0; i < count; ++i) {
      masks[i].narrow(1, 0, 4).fill_(labels[static_cast<size_t>(i)]);
      images[i].narrow(2, 0, 4).add_(static_cast<double>(labels[static_cast<size_t>(i)]));
    }
    masks.select(2, 7).fill_(kVoid);
    return {.images = images, .labels = masks, .saliency = {}};
  }
  // The method after a first task of three steps, at the start of the second task.
  std::unique_ptr<Method> after_first(const std::string& name) {
    auto method = make(name);
    auto first = learner({batch_of({1, 2})});
    method->begin_task(plan_.task(1), first);
    for (int64_t i = 0; i < 3; ++i) {
      const auto batch = batch_of({1, 2, 1, 2});
      auto now = step(1, batch, i, i);
      first_terms_ = terms_of(*method, now);
    }
    method->end_task(plan_.task(1), first);
    first_state_.clear();
    for (const auto& [name_of, tensor] : method->state()) first_state_[name_of] = tensor.clone();
    next_task();
    auto second = learner();
    method->begin_task(plan_.task(2), second);
    return method;
  }
  static at::Tensor value(const LossTerms& terms, const std::string& name) {
    return term(terms, name).value;
  }

  LossTerms first_terms_;
  StateDict first_state_;
};

}  // namespace lethe::test
