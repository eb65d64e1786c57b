// Properties of every method, on two small streams.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lethe/core/system.h"
#include "lethe/method/first_task.h"
#include "lethe/model/segmenter.h"
#include "tests/support/fake_mask_stream.h"
#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

using Sets = std::vector<std::string>;  // "method.lwf.lambda=2"

// Values of a key that differ from its present value. Some may be out of range.
std::vector<std::string> other_values(const Field& field) {
  std::vector<std::string> values;
  const auto add_real = [&](double value) {
    for (const double other : {value * 1.5 + 0.1, value / 2 + 0.01, 0.0})
      values.push_back(std::to_string(other));
  };
  const auto add_int = [&](int64_t value) {
    for (const int64_t other : {value + 2, value + 1, value - 1})
      values.push_back(std::to_string(other));
  };
  const auto& target = field.target;
  if (const auto* flag = std::get_if<bool*>(&target)) values = {**flag ? "false" : "true"};
  if (const auto* flag = std::get_if<std::optional<bool>*>(&target))
    values = {(*flag)->value_or(false) ? "false" : "true"};
  if (const auto* number = std::get_if<double*>(&target)) add_real(**number);
  if (const auto* number = std::get_if<std::optional<double>*>(&target))
    add_real((*number)->value_or(1));
  if (const auto* number = std::get_if<int64_t*>(&target)) add_int(**number);
  if (const auto* number = std::get_if<std::optional<int64_t>*>(&target))
    add_int((*number)->value_or(1));
  if (const auto* choice = std::get_if<ChoiceTarget>(&target)) values = choice->names;
  if (const auto* list = std::get_if<ChoiceListTarget>(&target)) values = list->names;
  if (values.empty()) throw Error("no other value for " + field.key);
  return values;
}

bool same(const StateDict& a, const StateDict& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.equal(y.second);
  });
}

StateDict copy(const StateDict& state) {
  StateDict copied;
  for (const auto& [name, tensor] : state) copied[name] = tensor.detach().clone();
  return copied;
}

// Trains the first task of a fake stream in two epochs of one step.
template <typename Stream>
class FirstTaskRuns : public Stream {
 protected:
  struct Outcome {
    std::string text;  // first_task_text()
    StateDict bits;    // network and method after the task
    Fields fields;     // keys of the method with resolved values
    std::shared_ptr<OptionGroups> groups;
  };

  void SetUp() override { set_up_threads(1); }  // more threads cost more than they save here
  virtual Problem problem() const = 0;
  virtual void make_network(const std::string& method) = 0;
  virtual Batch batch() = 0;

  Outcome train(const std::string& name, const Sets& sets = {}) {
    const auto& recipe = MethodRegistry::builtin().find(name).recipe(problem());
    Outcome outcome;
    outcome.groups = std::make_shared<OptionGroups>();
    MethodRegistry::builtin().declare(*outcome.groups);
    ConfigText text;
    for (const auto& set : sets) text.set(set);
    text.apply(outcome.groups->fields());
    recipe.resolve(*outcome.groups, this->info_);
    outcome.text = first_task_text(recipe, *outcome.groups, this->plan_);
    outcome.fields = outcome.groups->fields(recipe.sections);

    at::manual_seed(3);
    make_network(name);
    const auto method = recipe.make(*outcome.groups);
    auto at_hand = this->learner({batch()});
    method->begin_task(this->plan_.task(1), at_hand);
    for (int64_t i = 0; i < 2; ++i) train_step(*method, i);
    method->end_task(this->plan_.task(1), at_hand);
    outcome.bits = copy(method->state());
    for (const auto& parameter : this->network_->named_parameters())
      outcome.bits["network." + parameter.key()] = parameter.value().detach().clone();
    return outcome;
  }

  // For every key of the method and every other value: if the bits change, so does the text. Adds
  // the keys that changed the bits.
  void check_keys(const std::string& method, const Sets& base, std::set<std::string>& acting) {
    const auto usual = train(method, base);
    EXPECT_TRUE(same(train(method, base).bits, usual.bits));
    for (const auto& field : usual.fields) {
      for (const auto& value : other_values(field)) {
        auto sets = base;
        sets.push_back(field.key + '=' + value);
        try {
          const auto changed = train(method, sets);
          if (same(changed.bits, usual.bits)) continue;
          acting.insert(field.key);
          EXPECT_NE(changed.text, usual.text)
              << method << ": " << sets.back() << " changes the first task, but not its text";
        } catch (const ConfigError&) {  // the value does not fit the base
        }
      }
    }
  }

  void check_sharing() {
    std::map<std::string, std::pair<std::string, StateDict>> by_text;
    for (const auto& name : MethodRegistry::builtin().names(problem())) {
      auto outcome = train(name);
      const auto [found, added] = by_text.try_emplace(outcome.text, name, outcome.bits);
      EXPECT_TRUE(same(outcome.bits, found->second.second))
          << name << " and " << found->second.first << " have the same text";
    }
  }

  void check_losses_store_nothing() {
    for (const auto& name : MethodRegistry::builtin().names(problem())) {
      const auto& recipe = MethodRegistry::builtin().find(name).recipe(problem());
      recipe.resolve(this->groups_, this->info_);
      make_network(name);
      const auto method = recipe.make(this->groups_);
      auto at_hand = this->learner({batch()});
      method->begin_task(this->plan_.task(1), at_hand);
      const auto images = batch();
      auto now = this->step(1, images);
      method->update(now);
      const auto before = copy(method->state());
      method->losses(now);
      EXPECT_TRUE(same(copy(method->state()), before)) << name;
    }
  }

 private:
  void train_step(Method& method, int64_t number) {
    const auto images = batch();
    auto now = this->step(1, images, number, number);
    at::Tensor total;
    for (const auto& term : this->terms_of(method, now)) {
      const auto weighted = term.value * term.weight;
      total = total.defined() ? total + weighted : weighted;
    }
    std::vector<std::pair<at::Tensor, double>> parameters;
    for (const auto& parameter : this->network_->named_parameters())
      parameters.emplace_back(parameter.value(), method.lr_factor(parameter.key()));
    for (const auto& parameter : method.parameters()) parameters.emplace_back(parameter.tensor, 1);
    for (auto& [tensor, factor] : parameters) tensor.mutable_grad() = at::Tensor();
    if (total.defined()) total.backward();
    const at::NoGradGuard no_grad;
    for (auto& [tensor, factor] : parameters) {
      tensor.mul_(1 - 1e-3 * factor);
      if (tensor.grad().defined()) tensor.sub_(1e-3 * factor * tensor.grad());
    }
  }
};

class EveryImageMethodTest : public FirstTaskRuns<test::FakeStream> {
 protected:
  Problem problem() const override { return Problem::kImages; }
  void make_network(const std::string&) override {
    network_ = std::make_shared<test::LinearNetwork>(3 * 16 * 16, 8);
    network_->add_classes(2, 0);
  }
  // Dark images: with large scores a softmax would hide small changes.
  Batch batch() override {
    auto made = batch_of({0, 1, 0, 1});
    made.images.mul_(0.01);
    return made;
  }
};

class EveryMaskMethodTest : public FirstTaskRuns<test::FakeMaskStream> {
 protected:
  Problem problem() const override { return Problem::kMasks; }
  void make_network(const std::string& method) override {
    if (method.starts_with("ssul")) {
      network_ = std::make_shared<Segmenter>(SegmenterOptions{.backbone = {.depth = 18, .width = 2},
                                                              .head_channels = 4,
                                                              .classifier = PixelHeadKind::kSsul,
                                                              .init = NewClassInit::kUnknown},
                                             0);
    } else {
      network_ = std::make_shared<test::MaskNetwork>(false);
    }
    network_->add_classes(2, 0);
    network_->train();
  }
  Batch batch() override { return batch_of({1, 2, 1}); }
};

TEST_F(EveryImageMethodTest, AKeyThatChangesTheFirstTaskIsInItsText) {
  std::set<std::string> acting;
  for (const auto& name : MethodRegistry::builtin().names(Problem::kImages))
    check_keys(name, {}, acting);
  check_keys("contrastive", {"method.contrastive.first_task_terms=true"}, acting);
  check_keys("contrastive",
             {"method.contrastive.first_task_terms=true", "method.contrastive.cls_source=codes"},
             acting);

  for (const char* key : {"cls.loss",
                          "cls.scale",
                          "cls.margin",
                          "cls.weight",
                          "code.grid",
                          "code.scale",
                          "code.mix_weight",
                          "code.mix_fraction",
                          "ewc.lambda",
                          "ewc.fisher",
                          "ewc.forgotten_weight",
                          "ewc.per_class",
                          "mas.lambda",
                          "mas.importance",
                          "contrastive.first_task_terms",
                          "contrastive.lambda_p",
                          "contrastive.w_ex_p",
                          "contrastive.distance",
                          "contrastive.cls_source",
                          "contrastive.cls_mixed_features",
                          "contrastive.spaces",
                          "contrastive.features_l2norm",
                          "contrastive.proto_update",
                          "contrastive.proto_window"})
    EXPECT_TRUE(acting.contains(std::string("method.") + key)) << key << " was not put to the test";
}

TEST_F(EveryMaskMethodTest, AKeyThatChangesTheFirstTaskIsInItsText) {
  std::set<std::string> acting;
  for (const auto& name : MethodRegistry::builtin().names(Problem::kMasks))
    check_keys(name, {}, acting);
  check_keys("contrastive", {"method.contrastive.first_task_terms=true"}, acting);
  check_keys("contrastive", {"method.contrastive.proj_prototype=running"}, acting);

  for (const char* key :
       {"sdr.background", "ssul.unknown", "ssul.trunk_lr", "code.grid", "ewc.lambda",
        "contrastive.lambda_p", "contrastive.class_scope", "contrastive.bg_in_keep",
        "contrastive.proj_kernel", "contrastive.proj_prototype", "contrastive.proto_weighting",
        "contrastive.proto_background"})
    EXPECT_TRUE(acting.contains(std::string("method.") + key)) << key << " was not put to the test";
}

TEST_F(EveryImageMethodTest, MethodsWithTheSameTextTrainTheFirstTaskToTheSameBits) {
  check_sharing();

  EXPECT_EQ(train("finetune").text, train("lwf").text);
  EXPECT_EQ(train("finetune").text, train("lwf*").text);
  EXPECT_EQ(train("mas").text, train("lm*").text);
  EXPECT_NE(train("ewc").text, train("ewc*").text);  // requests act on ewc*
  EXPECT_NE(train("mc").text, train("finetune").text);
  EXPECT_NE(train("mc").text, train("contrastive").text);
}

TEST_F(EveryMaskMethodTest, MethodsWithTheSameTextTrainTheFirstTaskToTheSameBits) {
  check_sharing();

  for (const char* name : {"lwf", "lwf*", "mib", "mib*"})
    EXPECT_EQ(train("finetune").text, train(name).text) << name;
}

TEST_F(EveryImageMethodTest, ASearchOverLaterWeightsSharesTheFirstTask) {
  EXPECT_EQ(train("contrastive").text,
            train("contrastive", {"method.contrastive.lambda_p=7", "method.contrastive.lambda_d=7",
                                  "method.lwf.lambda=7"})
                .text);
  EXPECT_EQ(train("ewc").text, train("ewc", {"method.ewc.lambda=7"}).text);
}

TEST_F(EveryImageMethodTest, LossesChangeNothingThatTheMethodStores) {
  check_losses_store_nothing();
}

TEST_F(EveryMaskMethodTest, LossesChangeNothingThatTheMethodStores) {
  check_losses_store_nothing();
}

}  // namespace
}  // namespace lethe
