// The segmentation methods, compared with each other and with their losses.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "lethe/features/pixels.h"
#include "lethe/losses/mask_cross_entropy.h"
#include "lethe/losses/mask_distillation.h"
#include "lethe/method/codes/codes.h"
#include "lethe/method/contrastive/contrastive_options.h"
#include "lethe/method/mask_lwf.h"
#include "lethe/method/ssul.h"
#include "lethe/model/segmenter.h"
#include "tests/support/fake_mask_stream.h"

namespace lethe {
namespace {

using Names = std::vector<std::string>;

at::Tensor numbers(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

class MaskMethodsTest : public test::FakeMaskStream {
 protected:
  ContrastiveOptions& contrastive() { return groups_.get<ContrastiveOptions>(); }
  LossTerms second(const std::string& name) {
    method_ = after_first(name);
    step_.emplace(step(2, batch_, 3, 3));
    return terms_of(*method_, *step_);
  }

  const Batch batch_ = batch_of({3, 3, 3});
  std::unique_ptr<Method> method_;
  std::optional<Step> step_;
};

TEST_F(MaskMethodsTest, EveryMethodHasItsTermsInTheSecondTask) {
  EXPECT_EQ(names(second("finetune")), (Names{"ce"}));
  EXPECT_EQ(names(second("lwf")), (Names{"ce", "kd"}));
  EXPECT_EQ(names(second("mib*")), (Names{"ce", "kd"}));
  EXPECT_EQ(names(second("sdr*")),
            (Names{"ce", "kd", "matching", "clustering", "separation", "sparsity"}));
  EXPECT_EQ(names(second("mc_e")), (Names{"ce", "mix", "sf", "kd", "kd_mix", "ewc"}));
  EXPECT_EQ(names(second("contrastive")),
            (Names{"ce", "kd", "in_p", "ex_p", "pc", "in_d", "ex_d"}));
  for (const auto& one : terms_of(*method_, *step_))
    EXPECT_TRUE(one.value.isfinite().item<bool>()) << one.name;
}

TEST_F(MaskMethodsTest, TheLedgerNamesForgottenClassesThatNoImageContains) {
  method_ = after_first("contrastive");
  const auto unseen = method_->remarks(plan_.task(2), plan_);
  ASSERT_EQ(unseen.size(), 1u);
  EXPECT_NE(unseen.front().find("found 'a' in no image of task 2"), std::string::npos);

  step_.emplace(step(2, batch_, 3, 3));
  terms_of(*method_, *step_);
  const auto& notes = step_->notes();
  const auto pixels = std::find_if(notes.begin(), notes.end(), [](const auto& note) {
    return note.first == "forgotten_pixels.a";
  });
  ASSERT_NE(pixels, notes.end());
  ASSERT_GT(pixels->second.item<int64_t>(), 0);
  EXPECT_TRUE(method_->remarks(plan_.task(2), plan_).empty());

  const auto state = method_->state();
  auto resumed = after_first("contrastive");
  resumed->load(state);
  EXPECT_TRUE(resumed->remarks(plan_.task(2), plan_).empty());
}

TEST_F(MaskMethodsTest, TheFirstTaskIsPlainCrossEntropyForAllWithoutCodes) {
  for (const char* name :
       {"finetune", "lwf", "lwf*", "mib", "mib*", "sdr", "sdr*", "contrastive"}) {
    after_first(name);
    EXPECT_EQ(names(first_terms_), (Names{"ce"})) << name;
  }
}

TEST_F(MaskMethodsTest, StarredMethodsDistilKeptClassesOnly) {
  const auto plain = value(second("lwf"), "kd").item<double>();
  const auto& student = step_->student(batch_.images).logits;
  const auto& teacher = step_->old(batch_.images).logits;
  EXPECT_NEAR(plain, mask_distillation_loss(student, teacher, {}, {}).item<double>(), 1e-6);

  const auto star = value(second("lwf*"), "kd").item<double>();
  const auto kept = at::tensor({1, 0, 1}, at::kLong).to(at::kBool);
  EXPECT_NEAR(star,
              mask_distillation_loss(step_->student(batch_.images).logits,
                                     step_->old(batch_.images).logits, kept, {})
                  .item<double>(),
              1e-6);
  EXPECT_NE(plain, star);
}

TEST_F(MaskMethodsTest, DistillationLeavesErasedClassesOut) {
  for (const char* name : {"lwf", "lwf*", "mib", "mib*"}) {
    method_ = after_first(name);
    for (auto* network : {network_.get(), old_.get()}) network->erase({2});
    auto task = plan_.task(2).without({2});
    Step now(task, batch_, *network_, old_.get(), watch_);

    const auto terms = terms_of(*method_, now);

    const bool star = name[3] == '*';
    const auto some = [](const at::Tensor& logits, const std::vector<int64_t>& channels) {
      return logits.index_select(1, numbers(channels));
    };
    const auto& kd = groups_.get<MaskLwfOptions>();
    const auto mass = name[0] == 'm' ? StudentMass::kUnbiased : StudentMass::kOld;
    const auto expected =
        mask_distillation_loss(some(now.student(batch_.images).logits, {0, 1, 3}),
                               some(now.old(batch_.images).logits, {0, 1}),
                               star ? numbers({1, 0}).to(at::kBool) : at::Tensor(), kd.form(mass));
    EXPECT_FLOAT_EQ(value(terms, "kd").item<float>(), expected.item<float>()) << name;
    EXPECT_LT(value(terms, "ce").item<float>(), 100) << name;
  }
}

TEST_F(MaskMethodsTest, ImagesOfKeptClassesHaveTheirLabelsInEveryForm) {
  const auto kept = batch_of({2, 2});
  auto task = plan_.task(2);
  task.new_classes = {};
  task.on_kept_images = true;
  for (const char* name : {"finetune", "mib", "sdr*", "contrastive"}) {
    method_ = after_first(name);
    Step now(task, kept, *network_, old_.get(), watch_, {.seed = 5, .step = 3, .epoch = 3});

    const auto terms = terms_of(*method_, now);

    EXPECT_FLOAT_EQ(value(terms, "ce").item<float>(),
                    mask_cross_entropy(now.student(kept.images).logits, kept.labels).item<float>())
        << name;
  }
}

TEST_F(MaskMethodsTest, DefaultsOfTheDistillationFollowTheMethod) {
  const auto& kd = groups_.get<MaskLwfOptions>();
  make("mib*");
  EXPECT_EQ(*kd.weight, 10);
  EXPECT_EQ(kd.star, StarForm::kDrop);
}

TEST_F(MaskMethodsTest, WithoutContrastiveWeightsItsTotalIsTheOneOfItsBase) {
  contrastive().preset = ContrastivePreset::kSdrLike;
  contrastive().lambda_p = contrastive().lambda_d = 0;
  contrastive().w_pc = 0;
  const auto own = second("contrastive");
  EXPECT_EQ(names(own), (Names{"ce", "kd"}));
  const auto base = second("mib*");
  EXPECT_NEAR(value(own, "ce").item<double>(), value(base, "ce").item<double>(), 1e-6);
  EXPECT_NEAR(value(own, "kd").item<double>(), value(base, "kd").item<double>(), 1e-6);
}

TEST_F(MaskMethodsTest, ForgottenPixelsAreCountedByName) {
  second("contrastive");
  const auto labels =
      downsample_labels(pseudo_labels(batch_.labels, step_->old(batch_.images).logits), 4, 4);
  ASSERT_EQ(step_->notes().size(), 1u);
  EXPECT_EQ(step_->notes()[0].first, "forgotten_pixels.a");
  EXPECT_EQ(step_->notes()[0].second.item<int64_t>(), (labels == 1).sum().item<int64_t>());
}

TEST_F(MaskMethodsTest, WithoutForgottenPixelsNothingIsDispersed) {
  contrastive().pseudo_threshold = 0.99;  // the old model is never that sure
  const auto terms = second("contrastive");
  ASSERT_EQ(step_->notes()[0].second.item<int64_t>(), 0);
  EXPECT_EQ(value(terms, "in_d").item<double>(), 0);
  EXPECT_EQ(value(terms, "ex_d").item<double>(), 0);
}

TEST_F(MaskMethodsTest, PrototypesOfForgottenClassesDoNotChange) {
  method_ = after_first("contrastive");
  const auto before = method_->state().at("contrastive.prototype.mean").clone();
  for (int64_t i = 3; i < 6; ++i) {
    auto now = step(2, batch_, i, i);
    terms_of(*method_, now);
    ASSERT_GT(now.notes()[0].second.item<int64_t>(), 0);  // the class is present
  }
  const auto after = method_->state().at("contrastive.prototype.mean");
  EXPECT_TRUE(after[1].equal(before[1]));
  const auto stay = numbers({0, 2});  // background and 'b' follow the pseudo labels
  EXPECT_FALSE(after.index_select(0, stay).equal(before.index_select(0, stay)));
  EXPECT_GT(after[3].abs().sum().item<double>(), 0);
}

TEST_F(MaskMethodsTest, WithoutItsPrototypeBackgroundIsNotCompacted) {
  const auto compactness = [&](bool keep_background, bool with_prototype) {
    contrastive().bg_in_keep = keep_background;
    contrastive().proto_background = with_prototype;
    contrastive().pseudo_threshold = 0.999;  // background stays background
    torch::manual_seed(3);                   // the images of the first task
    return value(second("contrastive"), "in_p").item<double>();
  };

  const auto left_out = compactness(false, true);

  EXPECT_EQ(compactness(true, false), left_out);
  EXPECT_NE(compactness(true, true), left_out);
}

// Background is in the first rows of the classifier, and every task trains it.
TEST_F(MaskMethodsTest, AnchorsOfOldRowsAreTheirValuesAfterTheLastTask) {
  const auto method = after_first("mc_e");
  {
    const torch::NoGradGuard no_grad;
    network_->named_parameters()["classifier0"].add_(1);
  }
  auto second = learner({batch_});

  method->end_task(plan_.task(2), second);

  EXPECT_TRUE(method->state()
                  .at("ewc.anchor.classifier0")
                  .equal(network_->named_parameters()["classifier0"]));
}

TEST_F(MaskMethodsTest, OnlyDispersionMovesTheProjections) {
  const auto terms = second("contrastive");
  for (const auto& term : terms) {
    for (auto& [name, tensor] : method_->parameters()) {
      const auto slope = torch::autograd::grad({term.value}, {tensor}, {}, true, false, true)[0];
      EXPECT_EQ(slope.defined(), term.name == "in_d") << term.name << ' ' << name;
    }
  }
}

TEST_F(MaskMethodsTest, EveryScopeAndWeightingGivesFiniteTermsAndResumes) {
  constexpr auto kBatch = GroupScope::kBatch;
  constexpr auto kImage = GroupScope::kImage;
  struct Choice {
    GroupScope scope;
    GroupScope weighting;
    int64_t kernel;
    SpacePrototypes prototypes;
  };
  for (const auto& choice : {Choice{kBatch, kBatch, 1, SpacePrototypes::kProjected},
                             Choice{kImage, kImage, 1, SpacePrototypes::kProjected},
                             Choice{kImage, kBatch, 1, SpacePrototypes::kRunning},
                             Choice{kBatch, kImage, 3, SpacePrototypes::kRunning}}) {
    contrastive().class_scope = choice.scope;
    contrastive().proto_weighting = choice.weighting;
    contrastive().proj_kernel = choice.kernel;
    contrastive().proj_prototype = choice.prototypes;
    const auto terms = second("contrastive");
    for (const auto& one : terms) EXPECT_TRUE(one.value.isfinite().item<bool>()) << one.name;

    const auto saved = method_->state();
    auto again =
        MethodRegistry::builtin().find("contrastive").recipe(Problem::kMasks).make(groups_);
    again->load(first_state_);
    auto at_hand = learner();
    again->begin_task(plan_.task(2), at_hand);
    again->load(saved);
    auto now = step(2, batch_, 4, 4);
    auto same = step(2, batch_, 4, 4);
    const auto expected = terms_of(*method_, now);
    const auto found = terms_of(*again, same);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(found[i].value.equal(expected[i].value)) << expected[i].name;
  }
}

TEST_F(MaskMethodsTest, TheStateOfAClassIsListedAndPurged) {
  for (const char* name : {"sdr", "contrastive", "mc_e"}) {
    after_first(name)->purge({1});
    auto method = after_first(name);
    EXPECT_FALSE(method->state_of(2).empty()) << name;
    method->purge({2});
    EXPECT_TRUE(method->state_of(2).empty()) << name;
  }
}

TEST_F(MaskMethodsTest, CodesAreMixedIntoThePixelsOfNewClassesOnly) {
  make("mc_e");
  CodeBook codes(groups_.get<CodeOptions>().settings());
  auto at_hand = learner();
  codes.begin_task(plan_.task(1), at_hand);
  const auto batch = batch_of({1, 2});
  auto now = step(1, batch);

  const auto& mixed = codes.mixed(now)->images;

  const auto own = (batch.labels == 1) | (batch.labels == 2);
  EXPECT_TRUE(mixed.masked_select(own.logical_not().unsqueeze(1))
                  .equal(batch.images.masked_select(own.logical_not().unsqueeze(1))));
  // lambda x + (1 - lambda) code with one lambda per image.
  const auto code = codes.images_of({1})[0];
  const auto x = batch.images[0].narrow(2, 0, 4);
  const auto there = mixed[0].narrow(2, 0, 4);
  const auto lambda = (there - code.narrow(2, 0, 4)) / (x - code.narrow(2, 0, 4));
  EXPECT_LT((lambda - lambda.median()).abs().median().item<double>(), 1e-4);
}

TEST(SsulTest, TV13LabelsAndPseudoLabels) {
  const auto labels = numbers({1, 1, 0, 17, 1});
  const auto answer = numbers({6, 6, 3, 2, 1});
  const auto score = at::tensor({0.9, 0.6, 0.7, 0.99, 0.95}, at::kDouble);
  EXPECT_TRUE(ssul_pseudo_labels(labels, answer, score, 0.7, {}).equal(numbers({6, 1, 3, 17, 1})));
  EXPECT_TRUE(ssul_pseudo_labels(labels, answer, score, 0.7, {5}).equal(numbers({1, 1, 3, 17, 1})));
  EXPECT_TRUE(ssul_pseudo_labels(labels, answer, score, 1.01, {}).equal(labels));
  const auto salient = numbers({0, 1, 1, 1}).to(at::kBool);
  EXPECT_TRUE(ssul_labels(numbers({0, 0, 16, 255}), salient).equal(numbers({1, 0, 17, 255})));
  EXPECT_TRUE(ssul_labels(numbers({0, 0, 16, 255}), {}).equal(numbers({1, 1, 17, 255})));
}

// From the second task on, only the new head, the unknown head and the background head learn,
// without their norms (specification 4).
TEST_F(MaskMethodsTest, SsulFreezesAllButThreeHeadsAndEveryNorm) {
  auto method = make("ssul");
  auto network = std::make_shared<Segmenter>(SegmenterOptions{.backbone = {.depth = 18, .width = 4},
                                                              .head_channels = 8,
                                                              .classifier = PixelHeadKind::kSsul,
                                                              .init = NewClassInit::kUnknown},
                                             0);
  network->add_classes(2, 0);
  network->add_classes(1, 0);
  network_ = network;
  auto second = learner();
  method->begin_task(plan_.task(2), second);

  Names learned;
  for (const auto& parameter : network->named_parameters()) {
    if (method->lr_factor(parameter.key()) > 0) learned.push_back(parameter.key());
  }
  std::sort(learned.begin(), learned.end());
  Names expected;
  for (const char* head : {"1", "background", "unknown"}) {
    for (const char* part : {"0.weight", "3.bias", "3.weight"})
      expected.push_back(std::string("classifier.") + head + '.' + part);
  }
  EXPECT_EQ(learned, expected);
  EXPECT_EQ(method->lr_factor("classifier.1.0.weight"), 10);
  EXPECT_EQ(method->lr_factor("classifier.background.3.bias"), 0.001);

  auto later = plan_.task(2);
  later.number = 5;  // events that only forget came before
  method->begin_task(later, second);
  EXPECT_EQ(method->lr_factor("classifier.1.0.weight"), 10);
}

}  // namespace
}  // namespace lethe
