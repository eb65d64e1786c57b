// Every method, with real networks, in a stream that forgets and erases classes:
//
//   event  learns  forgets
//   1      a, b
//   2      c       a
//   3      d       c: nothing is left of the head of c
//   4              b, without images
//   5      e
//   6              e, with images of d
//
// Every request ends with the erasure of its classes.
#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include <algorithm>

#include "lethe/core/system.h"
#include "lethe/model/classifier.h"
#include "lethe/model/segmenter.h"
#include "tests/support/fake_tasks.h"

namespace lethe {
namespace {

using Sets = std::vector<std::string>;  // "method.lwf.lambda=2"

DatasetInfo info_of(Problem problem) {
  DatasetInfo info;
  info.name = "toy";
  info.problem = problem;
  info.class_names = {"a", "b", "c", "d", "e"};
  if (problem == Problem::kMasks) info.class_names.insert(info.class_names.begin(), "background");
  info.channels = 3;
  info.height = info.width = 16;
  info.mean = {0.5, 0.5, 0.5};
  info.std = {0.25, 0.25, 0.25};
  return info;
}

StreamOptions stream_options() {
  StreamOptions options;
  options.task_sizes = {2, 1, 1};
  options.requests = {{.classes = {"a"}, .before_task = 2}, {.classes = {"c"}, .before_task = 3}};
  const auto add = [&](EventKind kind, const char* name, bool with_images) {
    LaterEvent event;
    event.kind = kind;
    event.classes = {name};
    event.with_images = with_images;
    options.later.push_back(event);
  };
  add(EventKind::kForget, "b", false);
  add(EventKind::kLearn, "e", true);
  add(EventKind::kForget, "e", true);
  return options;
}

class ErasureRuns : public test::FakeTasks<Network> {
 protected:
  explicit ErasureRuns(Problem problem)
      : FakeTasks(info_of(problem), stream_options()),
        problem_(problem),
        background_(problem == Problem::kMasks ? ClassSet{0} : ClassSet{}) {}

  void SetUp() override { set_up_threads(1); }  // more threads cost more than they save here

  std::vector<std::string> methods() const { return MethodRegistry::builtin().names(problem_); }

  void start(const std::string& name, const Sets& sets = {}) {
    name_ = name;
    for (const auto& set : sets) name_ += ' ' + set;
    const auto& recipe = MethodRegistry::builtin().find(name).recipe(problem_);
    OptionGroups groups;
    MethodRegistry::builtin().declare(groups);
    ConfigText text;
    for (const char* few : {"images_forgotten=4", "images_kept=3", "inversion_steps=2", "batch=4"})
      text.set(std::string("method.plus.") + few);
    for (const auto& set : sets) text.set(set);
    text.apply(groups.fields());
    recipe.resolve(groups, info_);
    at::manual_seed(3);
    network_ = make_network(recipe, groups);
    method_ = recipe.make(groups);
    old_ = nullptr;
    step_ = 0;
  }

  // The events of the table above.
  void run(const std::string& name, const Sets& sets = {}, Scenario scenario = Scenario::kTask) {
    start(name, sets);
    scenario_ = scenario;
    for (const auto& task : plan_.tasks()) carry_out(planned(task.number));
  }

  // Whether every method has terms other than regularisers in an event without images exactly if it
  // declares so: before any erasure, and after some.
  void check_declarations() {
    for (const auto& name : methods()) {
      const auto declared =
          MethodRegistry::builtin().find(name).recipe(problem_).without_images_by_default();
      start(name);
      carry_out(planned(1));
      auto early = planned(2);
      early.new_classes = {};
      EXPECT_EQ(acts_in(early), declared != WithoutImages::kNothing) << name;

      start(name);
      for (const int64_t number : {1, 2, 3}) carry_out(planned(number));
      EXPECT_EQ(acts_in(planned(4)), declared != WithoutImages::kNothing) << name;
    }
  }

 private:
  Learner begin(const Task& task) {
    old_ = task.number > 1 ? network_->frozen_copy() : nullptr;
    if (task.learns()) network_->add_classes(task.new_classes.size(), 0);
    network_->train();
    auto at_hand = learner({batch_of(task), batch_of(task)});
    method_->begin_task(task, at_hand);
    return at_hand;
  }

  LossTerms terms_of_step(const Task& task) {
    const auto batch = batch_of(task);
    Step step(task, batch, *network_, old_.get(), watch_,
              {.seed = 5, .step = step_, .epoch = task.number});
    ++step_;
    return terms_of(*method_, step);
  }

  bool acts_in(const Task& task) {
    begin(task);
    const auto terms = terms_of_step(task);
    return std::any_of(terms.begin(), terms.end(),
                       [](const LossTerm& term) { return !term.restrains; });
  }

  // Trains as the trainer does, and checks every step.
  void carry_out(const Task& task) {
    SCOPED_TRACE(name_ + ", event " + std::to_string(task.number));
    auto at_hand = begin(task);
    train(task);
    method_->end_task(task, at_hand);
    if (!task.requested.empty()) {
      network_->erase(task.requested);
      method_->purge(task.requested);
    }
    expect_gone();
  }

  Task planned(int64_t number) const {
    auto task = plan_.task(number).without(network_->erased());
    task.scenario = scenario_;
    return task;
  }

  std::shared_ptr<Network> make_network(const MethodRecipe& recipe, const OptionGroups& groups) {
    if (problem_ == Problem::kImages)
      return std::make_shared<ImageClassifier>(
          ImageClassifierOptions{.backbone = {.depth = 18, .width = 2, .stem = Stem::kCifarS2}}, 0);
    SegmenterOptions options = {.backbone = {.depth = 18, .width = 2, .output_stride = 8},
                                .head_channels = 4,
                                .dropout = 0};
    const std::string init = recipe.init != nullptr ? recipe.init(groups) : "default";
    if (init == "background") options.init = NewClassInit::kBackground;
    if (init == "unknown") options.init = NewClassInit::kUnknown;
    if (recipe.classifier != nullptr) options.classifier = PixelHeadKind::kSsul;
    return std::make_shared<Segmenter>(options, 0);
  }

  // The images of a class have its colour, in segmentation in their left half.
  Batch batch_of(const Task& task) const {
    if (!task.has_images()) return {};
    const auto classes = (task.learns() ? task.new_classes : task.kept - background_).ids();
    const int64_t count = 4;
    std::vector<int64_t> labels;
    auto images = 0.3 * torch::randn({count, 3, 16, 16});
    for (int64_t i = 0; i < count; ++i) {
      labels.push_back(classes[static_cast<size_t>(i) % classes.size()]);
      images[i][labels.back() % 3].narrow(1, 0, 8).add_(static_cast<double>(labels.back()) - 2);
    }
    if (problem_ == Problem::kImages) return {.images = images, .labels = torch::tensor(labels)};
    auto masks = torch::zeros({count, 16, 16}, torch::kLong);
    for (int64_t i = 0; i < count; ++i)
      masks[i].narrow(1, 0, 8).fill_(labels[static_cast<size_t>(i)]);
    masks.select(2, 15).fill_(kVoid);
    return {.images = images, .labels = masks, .saliency = {}};
  }

  void train(const Task& task) {
    std::vector<at::Tensor> thawed, frozen;
    for (const auto& parameter : network_->named_parameters()) {
      auto& list = method_->lr_factor(parameter.key()) > 0 ? thawed : frozen;
      list.push_back(parameter.value());
    }
    for (const auto& parameter : method_->parameters()) thawed.push_back(parameter.tensor);
    for (auto& tensor : frozen) tensor.set_requires_grad(false);
    torch::optim::SGD optimizer(thawed,
                                torch::optim::SGDOptions(0.01).momentum(0.9).weight_decay(0.01));
    for (int i = 0; i < 3; ++i) {
      at::Tensor total;
      for (const auto& term : terms_of_step(task)) {
        EXPECT_TRUE(term.value.isfinite().item<bool>()) << term.name;
        EXPECT_LT(term.value.item<double>(), 1e3) << term.name;
        const auto weighted = term.value * term.weight;
        total = total.defined() ? total + weighted : weighted;
      }
      optimizer.zero_grad();
      if (total.defined() && total.requires_grad()) total.backward();
      for (auto& tensor : thawed) {  // the weights of some terms are too large for an untrained net
        if (tensor.grad().defined()) tensor.mutable_grad().clamp_(-1, 1);
      }
      optimizer.step();
      expect_gone();
    }
    for (auto& tensor : frozen) tensor.set_requires_grad(true);
  }

  // Erased classes have no rows and no state, and they are not answered.
  void expect_gone() {
    for (const auto& [name, tensor] : named_state(*network_))
      EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
    if (network_->erased().empty()) return;
    const auto state = method_->state();
    for (const auto& entry : network_->class_entries()) {
      auto stored = part_named(state, entry.name);
      stored["network"] = named_state(*network_).at(entry.name);
      for (const auto& [name, tensor] : stored) {
        if (entry.per_row) expect_zero_rows(tensor, entry.classes, name + ' ' + entry.name);
      }
    }
    for (const auto& [name, tensor] : state) {
      const bool by_class = name.ends_with("grids") || name.ends_with("there") ||
                            name.ends_with(".mean") || name.ends_with(".count") ||
                            name.ends_with(".variance") || name.ends_with(".scatter") ||
                            name.ends_with("seen");
      if (by_class) expect_zero_rows(tensor, ClassSet::range(0, tensor.size(0)), name);
      for (const ClassId id : network_->erased())
        EXPECT_EQ(name.find(".class." + std::to_string(id) + '.'), std::string::npos) << name;
    }
    for (const ClassId id : network_->erased()) EXPECT_TRUE(method_->state_of(id).empty()) << id;
    const at::NoGradGuard no_grad;
    network_->eval();
    for (Network* one : {network_.get(), old_.get()}) {
      if (one == nullptr) continue;
      const auto answers = one->forward(torch::randn({4, 3, 16, 16})).logits.argmax(1);
      for (const ClassId id : one->erased()) EXPECT_FALSE((answers == id).any().item<bool>()) << id;
    }
    network_->train();
  }

  // The entries that a method stores for a parameter: "ewc.anchor.heads.0.weight".
  static StateDict part_named(const StateDict& state, const std::string& parameter) {
    StateDict found;
    for (const auto& [name, tensor] : state) {
      if (name.ends_with('.' + parameter) && name.find("class_entry.") == std::string::npos)
        found[name] = tensor;
    }
    return found;
  }

  void expect_zero_rows(const at::Tensor& tensor, const ClassSet& classes,
                        const std::string& what) const {
    int64_t row = 0;
    for (const ClassId id : classes) {
      if (network_->erased().contains(id)) {
        EXPECT_EQ(tensor[row].count_nonzero().item<int64_t>(), 0) << what << ", class " << id;
      }
      ++row;
    }
  }

  Problem problem_;
  ClassSet background_;
  Scenario scenario_ = Scenario::kTask;
  std::string name_;
  int64_t step_ = 0;
  std::unique_ptr<Method> method_;
};

class ImageErasureTest : public ErasureRuns {
 protected:
  ImageErasureTest() : ErasureRuns(Problem::kImages) {}
};

class MaskErasureTest : public ErasureRuns {
 protected:
  MaskErasureTest() : ErasureRuns(Problem::kMasks) {}
};

TEST_F(ImageErasureTest, NoMethodRevivesErasedClasses) {
  for (const auto& name : methods()) run(name);
}

TEST_F(MaskErasureTest, NoMethodRevivesErasedClasses) {
  for (const auto& name : methods()) run(name);
}

TEST_F(ImageErasureTest, NoScenarioRevivesErasedClasses) {
  for (const char* name : {"finetune", "mc_e", "contrastive", "contrastive+"})
    run(name, {}, Scenario::kClass);
}

TEST_F(ImageErasureTest, NoOptionRevivesErasedClasses) {
  run("lwf*", {"method.lwf.forgotten_target=uniform"});
  run("contrastive", {"method.contrastive.cls_source=codes"});
  run("ewc*", {"method.ewc.per_class=true"});
  run("mc_e", {"method.ewc.per_class=true", "method.ewc.fisher=per_sample",
               "method.lwf.forgotten_target=uniform"});
  run("mc", {"method.mc.forgotten_entropy=1", "method.code.per_task=true"});
  run("contrastive", {"method.contrastive.preset=print"});
  run("contrastive",
      {"method.contrastive.proto_labels_old=pseudo", "method.contrastive.pc_classes=all_old",
       "method.code.bn=running", "method.contrastive.cls_source=codes"});
}

TEST_F(MaskErasureTest, NoOptionRevivesErasedClasses) {
  for (const char* star : {"drop", "restrict", "teacher"})
    run("lwf*", {std::string("method.kd.star=") + star, "method.kd.star_norm=old"});
  run("mib*", {"method.ce.drop_forgotten=true"});
  run("mc_e", {"method.mc.forgotten_entropy=1", "method.ewc.per_class=true"});
  run("contrastive", {"method.contrastive.preset=print"});
  run("contrastive", {"method.contrastive.ce=pseudo", "method.contrastive.proj_prototype=running"});
  run("ssul*", {"method.ssul.unknown=false", "method.ssul.threshold=0"});
}

TEST_F(ImageErasureTest, AMethodActsWithoutImagesIfItDeclaresSo) { check_declarations(); }

TEST_F(MaskErasureTest, AMethodActsWithoutImagesIfItDeclaresSo) { check_declarations(); }

TEST(WithoutImagesTest, CodesAndStatisticsAreDeclaredByTheMethodsThatUseThem) {
  const auto declared = [](const char* name, Problem problem) {
    return std::string(
        name_of(MethodRegistry::builtin().find(name).recipe(problem).without_images_by_default()));
  };
  EXPECT_EQ(declared("mc", Problem::kImages), "codes");
  EXPECT_EQ(declared("contrastive", Problem::kImages), "nothing");
  EXPECT_EQ(declared("contrastive", Problem::kMasks), "nothing");
  EXPECT_EQ(declared("lwf*", Problem::kImages), "nothing");
  EXPECT_EQ(declared("contrastive+", Problem::kImages), "statistics");
}

}  // namespace
}  // namespace lethe
