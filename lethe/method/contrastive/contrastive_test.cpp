#include <gtest/gtest.h>

#include "lethe/method/codes/mnemonic.h"
#include "lethe/method/contrastive/contrastive_options.h"
#include "lethe/method/importance/ewc.h"
#include "lethe/method/lwf.h"
#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

using Names = std::vector<std::string>;

// Any method with codes, after a first task of a few steps.
class ContrastiveTest : public test::FakeStream {
 protected:
  ContrastiveTest() { options().cls_source = ClassSource::kCodes; }
  std::unique_ptr<Method> after_first(const std::string& name) {
    auto method = make(name);
    auto at_hand = learner({batch_of({0, 1, 0, 1})});
    method->begin_task(plan_.task(1), at_hand);
    for (int64_t i = 0; i < 3; ++i) {
      const auto batch = batch_of({0, 1, 0, 1});
      auto now = step(1, batch, i);
      first_terms_ = terms_of(*method, now);
    }
    method->end_task(plan_.task(1), at_hand);
    next_task();
    auto second = learner();
    method->begin_task(plan_.task(2), second);
    return method;
  }
  ContrastiveOptions& options() { return groups_.get<ContrastiveOptions>(); }

  LossTerms first_terms_;
  Batch batch_ = batch_of({2, 3, 2, 3, 3});
};

TEST_F(ContrastiveTest, TheFirstTaskMixesCodesInAndHasNoTermOfOldClasses) {
  after_first("contrastive");
  EXPECT_EQ(names(first_terms_), (Names{"ce", "mix"}));
}

TEST_F(ContrastiveTest, TheFirstTaskMayHaveContrastiveTerms) {
  options().first_task_terms = true;
  after_first("contrastive");
  EXPECT_EQ(names(first_terms_), (Names{"ce", "mix", "in_p", "ex_p"}));
}

TEST_F(ContrastiveTest, LaterTasksHaveEveryTermWithItsWeight) {
  auto method = after_first("contrastive");
  auto now = step(2, batch_);

  const auto terms = terms_of(*method, now);

  EXPECT_EQ(names(terms), (Names{"ce", "mix", "sf", "lwf", "lwf_uniform", "lwf_mix",
                                 "lwf_uniform_mix", "in_p", "ex_p", "pc", "in_d"}));
  EXPECT_EQ(term(terms, "in_d").weight, *options().lambda_d);
  EXPECT_EQ(term(terms, "sf").weight, *options().cls_sf);
  for (const auto& one : terms) EXPECT_TRUE(one.value.isfinite().item<bool>()) << one.name;
}

TEST_F(ContrastiveTest, AStepRunsEveryDistinctInputOnce) {
  const auto passes = [&](const std::string& name) {
    auto method = after_first(name);
    auto now = step(2, batch_);
    terms_of(*method, now);
    network_ = std::make_shared<test::LinearNetwork>(3 * 16 * 16, 8);
    network_->add_classes(2, 0);
    return std::pair{now.student_passes(), now.old_passes()};
  };

  EXPECT_EQ(passes("mc"), (std::pair{3, 0}));           // x, x mixed, kept codes
  EXPECT_EQ(passes("mc_e"), (std::pair{3, 2}));         // and the old model on x, x mixed
  EXPECT_EQ(passes("contrastive"), (std::pair{4, 2}));  // and forgotten codes
}

TEST_F(ContrastiveTest, TermsWithWeightZeroAreAbsent) {
  options().w_in_p = options().w_ex_p = 0;
  options().w_pc = 0;
  options().lambda_d = 0;
  options().cls_sf = 0;
  auto method = after_first("contrastive");
  auto now = step(2, batch_);

  EXPECT_EQ(names(terms_of(*method, now)),
            (Names{"ce", "mix", "lwf", "lwf_uniform", "lwf_mix", "lwf_uniform_mix"}));
  EXPECT_EQ(now.student_passes(), 2);  // no code pass without a term that needs it
}

TEST_F(ContrastiveTest, ThePapersPresetsHaveNoUniformTerm) {
  options().preset = ContrastivePreset::kPrint;
  auto method = after_first("contrastive");
  auto now = step(2, batch_);

  EXPECT_EQ(names(terms_of(*method, now)),
            (Names{"ce", "mix", "lwf", "lwf_mix", "in_p", "ex_p", "pc", "in_d"}));
}

TEST_F(ContrastiveTest, WithStatisticsThereIsOnePassAndNoCode) {
  options().cls_source = ClassSource::kStatistics;
  auto method = after_first("contrastive");
  EXPECT_EQ(names(first_terms_), (Names{"ce"}));
  auto now = step(2, batch_);

  const auto terms = terms_of(*method, now);

  EXPECT_EQ(names(terms), (Names{"ce", "lwf", "lwf_uniform", "in_p", "ex_p", "pc", "in_d"}));
  EXPECT_EQ(now.student_passes(), 1);
  EXPECT_EQ(now.old_passes(), 1);
  for (const auto& one : terms) EXPECT_TRUE(one.value.isfinite().item<bool>()) << one.name;
  EXPECT_EQ(term(terms, "pc").value.item<float>(), 0);  // old classes have no sample
  EXPECT_GT(term(terms, "in_d").value.item<float>(), 0);
  EXPECT_GT(term(terms, "ex_p").value.item<float>(), 0);
  ASSERT_EQ(method->state_of(0).size(), 2u);
  EXPECT_EQ(method->state_of(0)[0].name, "prototype");
  EXPECT_EQ(method->state_of(0)[1].name, "statistics");
}

TEST_F(ContrastiveTest, OnlyCodesAreEnoughForARequestWithoutImages) {
  const auto& recipe = MethodRegistry::builtin().find("contrastive").recipe(Problem::kImages);

  EXPECT_EQ(recipe.without_images(groups_), WithoutImages::kCodes);
  EXPECT_TRUE(recipe.reads("method.code.grid", groups_));
  options().cls_source = ClassSource::kStatistics;
  EXPECT_EQ(recipe.without_images(groups_), WithoutImages::kNothing);
  EXPECT_FALSE(recipe.reads("method.code.grid", groups_));
  EXPECT_FALSE(recipe.reads("method.contrastive.cls_sf", groups_));
  EXPECT_TRUE(recipe.reads("method.contrastive.lambda_d", groups_));
}

TEST_F(ContrastiveTest, WithNothingForgottenNothingIsDispersed) {
  auto stream = make_stream();
  stream.requests.clear();
  const TaskPlan plan(stream, info_);
  auto method = after_first("contrastive");
  Step now(plan.task(2), batch_, *network_, old_.get(), watch_);

  EXPECT_EQ(names(terms_of(*method, now)).back(), "pc");
}

TEST_F(ContrastiveTest, ProjectionsGetTheirGradientFromDispersionOnlyAndScoresDoNotDependOnThem) {
  auto method = after_first("contrastive");
  const auto projections = method->parameters();
  ASSERT_EQ(projections.size(), 2u);
  EXPECT_EQ(projections[0].tensor.sizes(), (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(projections[1].tensor.sizes(), (std::vector<int64_t>{2, 4}));
  auto now = step(2, batch_);
  for (const auto& one : terms_of(*method, now)) {
    for (const auto& projection : projections) projection.tensor.mutable_grad() = at::Tensor();
    one.value.backward({}, /*retain_graph=*/true);
    for (const auto& projection : projections) {
      EXPECT_EQ(projection.tensor.grad().defined(), one.name == "in_d")
          << one.name << " " << projection.name;
    }
  }
}

TEST_F(ContrastiveTest, FrozenProjectionsAreNotTrained) {
  options().proj_trainable = false;
  EXPECT_TRUE(after_first("contrastive")->parameters().empty());
}

TEST_F(ContrastiveTest, DescentOnDispersionMovesTheForgottenCodeAwayFromItsPrototype) {
  options().spaces = {SpaceName::kF};
  auto method = after_first("contrastive");
  const auto value = [&] {
    auto now = step(2, batch_);
    return term(terms_of(*method, now), "in_d").value;
  };
  const auto before = value();
  before.backward();
  {
    const at::NoGradGuard no_grad;
    auto trunk = network_->named_parameters()["trunk"];
    trunk.sub_(1e-4 * trunk.grad());
  }
  EXPECT_LT(value().item<float>(), before.item<float>());
}

TEST_F(ContrastiveTest, PrototypesOfOldClassesAreFrozenAndNewOnesRestartEveryEpoch) {
  auto method = after_first("contrastive");
  const auto prototype = [&](int64_t id) {
    return method->state().at("contrastive.prototype.mean")[id].clone();
  };
  const auto counts = [&](int64_t id) {
    return method->state().at("contrastive.prototype.count")[id].item<int64_t>();
  };
  const auto old = prototype(0);
  for (int64_t i = 0; i < 2; ++i) {
    auto now = step(2, batch_, i, /*epoch=*/1);
    terms_of(*method, now);
  }
  EXPECT_TRUE(prototype(0).equal(old));
  EXPECT_EQ(counts(3), 6);  // two batches with three of class 3
  auto next = step(2, batch_, 2, /*epoch=*/2);
  terms_of(*method, next);
  EXPECT_EQ(counts(3), 3);
  // Features have unit length, so their mean is not longer than 1.
  EXPECT_LE(prototype(3).norm().item<float>(), 1 + 1e-5);
}

TEST_F(ContrastiveTest, AfterARestartTheTermsAreTheSame) {
  auto method = after_first("contrastive");
  auto other = make("contrastive");
  other->load(method->state());  // as after the first task
  auto at_hand = learner();
  other->begin_task(plan_.task(2), at_hand);
  auto once = step(2, batch_, 3, 1);
  terms_of(*method, once);
  other->load(method->state());  // within the second

  auto a = step(2, batch_, 4, 1);
  auto b = step(2, batch_, 4, 1);
  const auto expected = terms_of(*method, a);
  const auto found = terms_of(*other, b);

  ASSERT_EQ(names(found), names(expected));
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].value.item<float>(), expected[i].value.item<float>()) << found[i].name;
}

TEST_F(ContrastiveTest, TheStateOfAClassIsListedAndCanBePurged) {
  for (const char* name : {"mc", "mc_e", "contrastive"}) {
    network_ = std::make_shared<test::LinearNetwork>(3 * 16 * 16, 8);
    network_->add_classes(2, 0);
    auto method = after_first(name);
    for (const ClassId id : {0, 1}) {
      EXPECT_FALSE(method->state_of(id).empty()) << name;
      method->purge(ClassSet{id});
      EXPECT_TRUE(method->state_of(id).empty()) << name;
    }
    auto now = step(2, batch_);
    for (const auto& one : terms_of(*method, now))  // it works without the class
      EXPECT_TRUE(one.value.isfinite().item<bool>()) << name << " " << one.name;
  }
}

TEST_F(ContrastiveTest, WithoutImagesTheTermsUseCodesOnly) {
  auto method = after_first("contrastive");
  auto now = step(2, batch_);
  terms_of(*method, now);
  auto at_hand = learner();
  method->end_task(plan_.task(2), at_hand);
  old_ = std::dynamic_pointer_cast<test::LinearNetwork>(network_->frozen_copy());
  method->begin_task(plan_.task(3), at_hand);
  const Batch nothing;
  auto request = step(3, nothing, 1);

  const auto terms = terms_of(*method, request);

  EXPECT_EQ(names(terms), (Names{"sf", "lwf_code", "lwf_uniform_code", "in_d"}));
  EXPECT_EQ(request.student_passes(), 2);
  EXPECT_GT(term(terms, "in_d").value.item<float>(), 0);
}

TEST_F(ContrastiveTest, WithImagesOfKeptClassesPrototypesStayFrozen) {
  auto method = after_first("contrastive");
  const auto before = method->state().at("contrastive.prototype.mean").clone();
  auto task = plan_.task(2);
  task.new_classes = {};
  task.on_kept_images = true;
  const auto kept = batch_of({1, 1, 1});
  Step now(task, kept, *network_, old_.get(), watch_, {.seed = 5, .step = 4, .epoch = 4});

  const auto terms = terms_of(*method, now);

  EXPECT_EQ(names(terms), (Names{"ce", "mix", "sf", "lwf", "lwf_uniform", "lwf_mix",
                                 "lwf_uniform_mix", "in_p", "ex_p", "pc", "in_d"}));
  EXPECT_TRUE(method->state().at("contrastive.prototype.mean").equal(before));
}

TEST_F(ContrastiveTest, TheLossOnKeptCodesIsThatOfTheirHead) {
  auto method = after_first("mc");
  auto now = step(2, batch_);
  const auto terms = terms_of(*method, now);

  EXPECT_EQ(names(terms), (Names{"ce", "mix", "sf", "lwf_uniform", "lwf_uniform_mix"}));
  CodeBook codes(groups_.get<CodeOptions>().settings());
  auto at_hand = learner();
  codes.begin_task(plan_.task(1), at_hand);
  const auto scores = network_->forward(codes.images_of({1})).logits.narrow(1, 0, 2);
  EXPECT_FLOAT_EQ(term(terms, "sf").value.item<float>(),
                  additive_margin_loss(scores, torch::tensor({int64_t{1}})).item<float>());
}

TEST_F(ContrastiveTest, WithoutItsRegularisersMcEIsMc) {
  auto plain = after_first("mc");
  auto now = step(2, batch_);
  const auto expected = terms_of(*plain, now);
  groups_.get<LwfOptions>().lambda = 0;
  groups_.get<EwcOptions>().lambda = 0;
  const auto method = make("mc_e");
  method->load(plain->state());
  auto at_hand = learner();
  method->begin_task(plan_.task(2), at_hand);
  const auto terms = terms_of(*method, now);

  ASSERT_EQ(names(terms), (Names{"ce", "mix", "sf"}));
  for (size_t i = 0; i < terms.size(); ++i)
    EXPECT_EQ(terms[i].value.item<float>(), expected[i].value.item<float>()) << terms[i].name;
}

TEST_F(ContrastiveTest, WithoutCodesMcEIsLeStar) {
  auto plain = after_first("le*");
  auto now = step(2, batch_);
  const auto expected = terms_of(*plain, now);
  groups_.get<CodeOptions>().mix_weight = 0;
  groups_.get<LwfOptions>().mix_weight = 0;
  groups_.get<MnemonicOptions>().lambda_sf = 0;
  const auto method = make("mc_e");
  method->load(plain->state());
  auto at_hand = learner();
  method->begin_task(plan_.task(2), at_hand);
  const auto terms = terms_of(*method, now);

  ASSERT_EQ(names(terms), names(expected));
  for (size_t i = 0; i < terms.size(); ++i) {
    EXPECT_EQ(terms[i].value.item<float>(), expected[i].value.item<float>()) << terms[i].name;
    EXPECT_EQ(terms[i].weight, expected[i].weight) << terms[i].name;
  }
}

TEST_F(ContrastiveTest, PresetsSetTheValuesThatAreNotSet) {
  ContrastiveOptions print;
  print.preset = ContrastivePreset::kPrint;
  print.lambda_d = 7;
  print.resolve(info_);
  EXPECT_EQ(print.distance, Distance::kL2);
  EXPECT_EQ(print.pixel_reduce, RowReduce::kSum);
  EXPECT_EQ(print.proto_update, PrototypeUpdate::kIteration);
  EXPECT_EQ(*print.lambda_p, 0.001);
  EXPECT_EQ(*print.lambda_d, 7);
  EXPECT_EQ(*print.cls_sf, 0);

  ContrastiveOptions like;
  like.preset = ContrastivePreset::kSdrLike;
  like.resolve(info_);
  EXPECT_EQ(like.distance, Distance::kMse);
  EXPECT_EQ(like.ex_p_reduce, PairReduce::kPairs);
  EXPECT_EQ(*like.w_pc, 0.01);

  ContrastiveOptions wrong;
  wrong.spaces = {SpaceName::kF, SpaceName::kF};
  EXPECT_THROW(wrong.resolve(info_), ConfigError);
}

}  // namespace
}  // namespace lethe
