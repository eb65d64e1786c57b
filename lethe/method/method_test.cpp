#include "lethe/method/method.h"

#include <gtest/gtest.h>

#include "lethe/method/composite.h"
#include "lethe/method/finetune.h"
#include "lethe/method/lwf.h"
#include "lethe/method/registry.h"
#include "lethe/model/torch.h"
#include "tests/support/fake_network.h"

namespace lethe {
namespace {

using test::LinearNetwork;

DatasetInfo info() {
  DatasetInfo result;
  result.name = "toy";
  for (const char* name : {"a", "b", "c", "d"}) result.class_names.emplace_back(name);
  return result;
}

StreamOptions stream() {
  StreamOptions options;
  options.task_sizes = {2, 2};
  options.requests = {{.classes = {"a"}, .before_task = 2}};
  return options;
}

// A student in task 2, an old model that differs from it, and a batch of new classes.
class MethodTest : public testing::Test {
 protected:
  MethodTest() {
    network_->add_classes(2, 0);
    old_ = std::dynamic_pointer_cast<LinearNetwork>(network_->frozen_copy());
    {
      const at::NoGradGuard no_grad;
      for (auto& parameter : network_->parameters())
        parameter.add_(0.1 * torch::ones_like(parameter).cumsum(0));
    }
    network_->add_classes(2, 0);
    at::manual_seed(1);
    batch_.images = torch::randn({5, 3});
    batch_.labels = torch::tensor({2, 3, 2, 3, 3});
  }
  std::unique_ptr<Method> make(const std::string& name) {
    OptionGroups groups;
    MethodRegistry::builtin().declare(groups);
    return MethodRegistry::builtin().find(name).recipe(Problem::kImages).make(groups);
  }
  Step step(int64_t task = 2) {
    return {plan_.task(task), batch_, *network_, task > 1 ? old_.get() : nullptr, watch_};
  }
  static const LossTerm& term(const LossTerms& terms, const std::string& name) {
    for (const auto& candidate : terms) {
      if (candidate.name == name) return candidate;
    }
    throw Error("no term " + name);
  }
  at::Tensor head_grad(const std::string& name) {
    return network_->named_parameters()[name].grad();
  }

  TaskPlan plan_{stream(), info()};
  std::shared_ptr<LinearNetwork> network_ = std::make_shared<LinearNetwork>(3);
  std::shared_ptr<LinearNetwork> old_;
  Batch batch_;
  Stopwatch watch_;
};

TEST_F(MethodTest, FineTuningGivesOldHeadsNoGradient) {
  auto now = step();
  const auto terms = make("finetune")->losses(now);
  ASSERT_EQ(terms.size(), 1u);
  terms[0].value.backward();

  EXPECT_TRUE(!head_grad("head0").defined() || head_grad("head0").abs().max().item<float>() == 0);
  EXPECT_GT(head_grad("head1").abs().max().item<float>(), 0);
  EXPECT_EQ(old_->passes, 0);
}

TEST_F(MethodTest, AStepRunsTheNetworkOnceAndTheOldModelOnlyIfATermNeedsIt) {
  const int before = network_->passes;
  auto plain = step();
  make("finetune")->losses(plain);
  EXPECT_EQ(network_->passes - before, 1);
  EXPECT_EQ(old_->passes, 0);

  auto distilled = step();
  make("lwf*")->losses(distilled);
  EXPECT_EQ(network_->passes - before, 2);
  EXPECT_EQ(distilled.student_passes(), 1);
  EXPECT_EQ(old_->passes, 1);
}

TEST_F(MethodTest, TheOldModelsOutputHasNoGraph) {
  auto now = step();

  EXPECT_FALSE(now.old(batch_.images).logits.requires_grad());
  EXPECT_TRUE(now.student(batch_.images).logits.requires_grad());
  EXPECT_THROW(step(1).old(batch_.images), Error);
}

TEST_F(MethodTest, DistillationIsAbsentInTheFirstTaskAndPositiveLater) {
  Batch first = batch_;
  first.labels = torch::tensor({0, 1, 0, 1, 1});
  LinearNetwork fresh(3);
  fresh.add_classes(2, 0);
  Step one(plan_.task(1), first, fresh, nullptr, watch_);
  EXPECT_EQ(make("lwf")->losses(one).size(), 1u);

  auto two = step();
  EXPECT_GT(term(make("lwf")->losses(two), "lwf").value.item<float>(), 0);
}

TEST_F(MethodTest, TheStarLeavesTheForgottenScoreWithoutGradient) {
  const auto row_grad = [&](const std::string& method) {
    network_->zero_grad();
    auto now = step();
    const auto terms = make(method)->losses(now);
    (term(terms, "lwf").value * term(terms, "lwf").weight).backward();
    return head_grad("head0").abs().sum(1);  // per class of the old head
  };

  const auto star = row_grad("lwf*");
  const auto plain = row_grad("lwf");

  EXPECT_EQ(star[0].item<float>(), 0);  // 'a' is forgotten
  EXPECT_GT(star[1].item<float>(), 0);
  EXPECT_GT(plain[0].item<float>(), 0);
}

TEST_F(MethodTest, TheWeightIsLambdaTimesSquaredScaleAndTemperature) {
  auto now = step();

  EXPECT_DOUBLE_EQ(term(make("lwf")->losses(now), "lwf").weight, 5.0 * 30 * 30 * 2 * 2);
}

TEST_F(MethodTest, WithNothingForgottenTheStarChangesNothing) {
  auto options = stream();
  options.requests.clear();
  const TaskPlan plan(options, info());
  Step a(plan.task(2), batch_, *network_, old_.get(), watch_);
  Step b(plan.task(2), batch_, *network_, old_.get(), watch_);

  EXPECT_EQ(term(make("lwf")->losses(a), "lwf").value.item<float>(),
            term(make("lwf*")->losses(b), "lwf").value.item<float>());
}

TEST_F(MethodTest, TheUniformTargetIsASeparateTermOfStarredMethodsOnly) {
  OptionGroups groups;
  MethodRegistry::builtin().declare(groups);
  groups.get<LwfOptions>().forgotten_target = ForgottenTarget::kUniform;
  auto now = step();

  const auto star =
      MethodRegistry::builtin().find("lwf*").recipe(Problem::kImages).make(groups)->losses(now);
  const auto plain =
      MethodRegistry::builtin().find("lwf").recipe(Problem::kImages).make(groups)->losses(now);

  EXPECT_EQ(star.back().name, "lwf_uniform");
  EXPECT_GT(star.back().value.item<float>(), 0);
  EXPECT_EQ(plain.size(), 2u);
}

TEST_F(MethodTest, DistillationLeavesErasedClassesOut) {
  // A head of three classes, the first of them erased, equals a head of the other two.
  LinearNetwork three(3), two(3);
  three.add_classes(3, 0);
  two.add_classes(2, 0);
  const auto rows = three.named_parameters()["head0"].narrow(0, 1, 2).clone();
  {
    const at::NoGradGuard no_grad;
    two.named_parameters()["head0"].copy_(rows);
  }
  three.erase({0});
  const auto old_three = three.frozen_copy();
  const auto old_two = two.frozen_copy();
  for (auto* network : {&three, &two}) {
    const at::NoGradGuard no_grad;
    network->named_parameters()["trunk"].mul_(1.5);
    network->add_classes(2, 0);
  }
  Task task = plan_.task(2);
  task.forgotten = {1};
  task.kept = {2};
  task.new_classes = {3, 4};
  Task smaller = task;
  smaller.forgotten = {0};
  smaller.kept = {1};
  smaller.new_classes = {2, 3};
  OptionGroups groups;
  MethodRegistry::builtin().declare(groups);
  groups.get<LwfOptions>().forgotten_target = ForgottenTarget::kUniform;
  Batch larger = {.images = batch_.images, .labels = batch_.labels + 1};
  for (const char* name : {"lwf", "lwf*"}) {
    const auto method = MethodRegistry::builtin().find(name).recipe(Problem::kImages).make(groups);
    Step one(task, larger, three, old_three.get(), watch_);
    Step other(smaller, batch_, two, old_two.get(), watch_);
    const auto terms = method->losses(one);
    const auto expected = method->losses(other);
    ASSERT_EQ(terms.size(), expected.size());
    for (size_t i = 0; i < terms.size(); ++i) {
      EXPECT_EQ(terms[i].name, expected[i].name);
      EXPECT_GT(terms[i].value.item<float>(), 0);
      // The terms add differences of logarithms near 1: their rounding error is not relative.
      EXPECT_NEAR(terms[i].value.item<float>(), expected[i].value.item<float>(), 1e-6);
    }
  }
}

TEST_F(MethodTest, AHeadWithoutClassesIsNotDistilled) {
  network_->erase({0, 1});
  old_->erase({0, 1});
  auto now = step();

  EXPECT_EQ(make("lwf*")->losses(now).size(), 1u);  // "ce"
}

TEST_F(MethodTest, WithoutImagesMethodsThatNeedThemHaveNoTerms) {
  auto options = stream();
  options.requests = {{.classes = {"c"}, .before_task = 3}};
  const TaskPlan plan(options, info());
  const Batch nothing;
  for (const char* name : {"finetune", "lwf", "lwf*"}) {
    Step now(plan.task(3), nothing, *network_, old_.get(), watch_);
    EXPECT_TRUE(make(name)->losses(now).empty()) << name;
  }
}

TEST(RegistryTest, AStarMayBeSpelledOut) {
  EXPECT_EQ(MethodRegistry::builtin().find("lwf_star").name, "lwf*");
  EXPECT_EQ(method_folder("lwf*"), "lwf_star");
  EXPECT_EQ(method_name("finetune"), "finetune");
}

TEST(RegistryTest, AnUnknownMethodIsAnErrorThatListsTheKnownOnes) {
  try {
    MethodRegistry::builtin().find("fintune");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "method.name: unknown method 'fintune'; did you mean 'finetune'? known: finetune, "
                 "ewc, ewc*, mas, lwf, lwf*, le*, lm*, mib, mib*, ssul, ssul*, sdr, sdr*, mc, "
                 "mc_e, mc_m, contrastive");
  }
}

// A part with state: a composite must keep the states of its parts apart.
class Counter : public Method {
 public:
  LossTerms losses(Step&) override { return {}; }
  StateDict state() const override { return {{"count", torch::tensor(count)}}; }
  void load(const StateDict& state) override { count = state.at("count").item<int>(); }
  std::vector<StateEntry> state_of(ClassId id) const override {
    return count > 0 && id == 1 ? std::vector<StateEntry>{{"count", 4}} : std::vector<StateEntry>{};
  }
  void purge(const ClassSet& classes) override {
    if (classes.contains(1)) count = 0;
  }
  double lr_factor(const std::string& parameter) const override {
    return parameter == "frozen" ? 0.0 : 0.5;
  }
  int count = 0;
};

TEST(CompositeTest, FactorsOfTheLearningRateAreMultiplied) {
  std::vector<Composite::Part> parts;
  parts.push_back({"a", std::make_unique<Counter>()});
  parts.push_back({"b", std::make_unique<Counter>()});
  const Composite both(std::move(parts));

  EXPECT_EQ(both.lr_factor("conv1.weight"), 0.25);
  EXPECT_EQ(both.lr_factor("frozen"), 0);
}

TEST(CompositeTest, StateOfPartsIsKeptApartAndPurgeReachesAll) {
  auto first = std::make_unique<Counter>();
  auto second = std::make_unique<Counter>();
  first->count = 3;
  second->count = 5;
  auto* a = first.get();
  auto* b = second.get();
  std::vector<Composite::Part> parts;
  parts.push_back({"a", std::move(first)});
  parts.push_back({"b", std::move(second)});
  Composite both(std::move(parts));

  const auto state = both.state();
  a->count = b->count = 0;
  both.load(state);
  EXPECT_EQ(a->count, 3);
  EXPECT_EQ(b->count, 5);
  EXPECT_EQ(both.state_of(1).size(), 2u);

  both.purge({1});

  EXPECT_TRUE(both.state_of(1).empty());
}

}  // namespace
}  // namespace lethe
