#include <gtest/gtest.h>

#include "lethe/features/class_groups.h"
#include "lethe/method/lwf.h"
#include "lethe/method/plus/erased_teacher.h"
#include "lethe/method/plus/plus_options.h"
#include "lethe/method/statistics_keeper.h"
#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

using Names = std::vector<std::string>;

class PlusTest : public test::FakeStream {
 protected:
  PlusTest() {
    auto& options = groups_.get<PlusOptions>();
    options.images_forgotten = 5;
    options.images_kept = 4;
    options.inversion_steps = 3;
    options.batch = 6;
  }

  // After the first task, with statistics of its classes from two batches.
  std::unique_ptr<Method> after_first(const std::string& name = "contrastive+") {
    auto method = make(name);
    auto at_hand = learner({batch_of({0, 1, 0, 1, 0, 1}), batch_of({1, 0, 1, 0, 0, 1})});
    method->begin_task(plan_.task(1), at_hand);
    auto now = step(1, batch_);
    first_terms_ = terms_of(*method, now);
    method->end_task(plan_.task(1), at_hand);
    return method;
  }
  // In the second task, which forgets class 0.
  std::unique_ptr<Method> in_second(const std::string& name = "contrastive+") {
    auto method = after_first(name);
    next_task();
    auto at_hand = learner({batch_of({2, 3, 2, 3, 2, 3})});
    method->begin_task(plan_.task(2), at_hand);
    return method;
  }
  // The request for class 2, without images.
  Task request() const { return plan_.task(3); }

  Batch batch_ = batch_of({0, 1, 0, 1});
  Batch later_ = batch_of({2, 3, 2, 3, 3});
  LossTerms first_terms_;
};

TEST_F(PlusTest, TheFirstTaskIsThatOfFineTuningAndLaterOnesHaveTheTermsOfTheTeacher) {
  const auto method = in_second();
  auto now = step(2, later_);

  const auto terms = terms_of(*method, now);

  EXPECT_EQ(names(first_terms_), (Names{"ce"}));
  EXPECT_EQ(names(terms), (Names{"ce", "features", "lwf", "lwf_uniform"}));
  for (const char* added : {"features", "lwf", "lwf_uniform"})
    EXPECT_GT(term(terms, added).value.item<double>(), 0) << added;
  EXPECT_EQ(term(terms, "features").weight, groups_.get<PlusOptions>().lambda_f);
  EXPECT_EQ(now.student_passes(), 1);
  EXPECT_EQ(now.old_passes(), 1);
}

TEST_F(PlusTest, TheFeatureTermReachesTheBackboneOnly) {
  const auto method = in_second();
  auto now = step(2, later_);

  term(terms_of(*method, now), "features").value.backward();

  for (const auto& parameter : network_->named_parameters()) {
    const auto& gradient = parameter.value().grad();
    const bool reached = gradient.defined() && gradient.abs().max().item<float>() > 0;
    EXPECT_EQ(reached, parameter.key() == "trunk") << parameter.key();
  }
}

TEST_F(PlusTest, TheTeachersMeansOfForgottenClassesAreTheOverallMean) {
  const auto statistics = std::make_shared<ClassStatistics>();
  StatisticsKeeper keeper({}, statistics);
  auto first = learner({batch_of({0, 1, 0, 1, 0, 1})});
  keeper.end_task(plan_.task(1), first);
  next_task();
  const auto images = batch_of({2, 3, 2, 3, 2, 3});
  const auto second = learner({images});
  ErasedTeacher teacher({}, statistics);

  teacher.prepare(plan_.task(2), second);

  const auto old = statistics->means(0, {0, 1});
  const auto fresh =
      group_by_class(old_->forward(images.images).features, images.labels).means().to(at::kDouble);
  const auto all = at::cat({old, fresh});
  ASSERT_TRUE(teacher.erases());
  EXPECT_TRUE(at::allclose(teacher.erased(old)[0], all.mean(0), 1e-4, 1e-4));
  EXPECT_FALSE(at::allclose(teacher.erased(old)[1], all.mean(0), 1e-2, 1e-2));
}

TEST_F(PlusTest, WithoutErasureTheTermsAreThoseOfLwfWithTheUniformTerm) {
  groups_.get<PlusOptions>().erase = false;
  const auto method = in_second();
  groups_.get<LwfOptions>().forgotten_target = ForgottenTarget::kUniform;
  const auto plain = make("lwf*");
  auto now = step(2, later_);

  const auto terms = terms_of(*method, now);
  const auto expected = terms_of(*plain, now);

  ASSERT_EQ(names(terms), names(expected));
  for (size_t i = 0; i < terms.size(); ++i) {
    EXPECT_TRUE(terms[i].value.equal(expected[i].value)) << terms[i].name;
    EXPECT_EQ(terms[i].weight, expected[i].weight) << terms[i].name;
  }
}

TEST_F(PlusTest, WithoutStatisticsOfTheForgottenClassTheTeacherIsTheOldModel) {
  groups_.get<LwfOptions>().forgotten_target = ForgottenTarget::kUniform;
  const auto method = after_first();
  method->purge({0});
  next_task();
  auto at_hand = learner({later_});
  method->begin_task(plan_.task(2), at_hand);
  const auto plain = make("lwf*");
  auto now = step(2, later_);

  const auto terms = terms_of(*method, now);

  EXPECT_EQ(names(terms), (Names{"ce", "lwf", "lwf_uniform"}));
  EXPECT_TRUE(term(terms, "lwf").value.equal(term(terms_of(*plain, now), "lwf").value));
  EXPECT_EQ(method->remarks(plan_.task(2), plan_).size(), 1);
}

TEST_F(PlusTest, ARequestWithoutImagesTrainsOnInvertedImages) {
  const auto method = in_second();
  auto second = learner({batch_of({2, 3, 2, 3, 2, 3})});
  method->end_task(plan_.task(2), second);
  old_ = std::dynamic_pointer_cast<test::LinearNetwork>(network_->frozen_copy());
  const auto before = method->state();

  const auto terms = [&](int64_t number) {
    auto at_hand = learner();
    method->begin_task(request(), at_hand);
    const Batch nothing;
    const auto task = request();
    Step now(task, nothing, *network_, old_.get(), watch_, {.seed = 5, .step = number});
    return terms_of(*method, now);
  };
  const auto own = terms(7);

  EXPECT_EQ(names(own),
            (Names{"kept_ce", "kept_lwf", "forgotten_lwf", "forgotten_uniform", "forgotten_move"}));
  for (const auto& one : own) EXPECT_TRUE(one.value.isfinite().item<bool>()) << one.name;
  // Begun again, as after an interruption, a step has the same bits; other steps draw other images.
  EXPECT_TRUE(term(terms(7), "kept_ce").value.equal(term(own, "kept_ce").value));
  EXPECT_FALSE(term(terms(8), "kept_ce").value.equal(term(own, "kept_ce").value));
  // Nothing of the images is in the state.
  const auto after = method->state();
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [name, tensor] : after) EXPECT_TRUE(tensor.equal(before.at(name))) << name;
}

TEST_F(PlusTest, WithoutStatisticsARequestWithoutImagesDoesNothing) {
  const auto method = in_second();  // no statistics of classes 2 and 3
  old_ = std::dynamic_pointer_cast<test::LinearNetwork>(network_->frozen_copy());
  method->purge({0});
  auto at_hand = learner();
  const auto task = request().without({0});
  method->begin_task(task, at_hand);
  const Batch nothing;
  Step now(task, nothing, *network_, old_.get(), watch_, {});

  EXPECT_TRUE(terms_of(*method, now).empty());
}

TEST_F(PlusTest, AfterAPurgeNothingIsLeftOfTheClass) {
  const auto method = after_first();
  ASSERT_FALSE(method->state_of(0).empty());

  method->purge({0});

  EXPECT_TRUE(method->state_of(0).empty());
  EXPECT_FALSE(method->state_of(1).empty());
  for (const auto& [name, tensor] : method->state()) {
    if (!name.ends_with("widths")) EXPECT_EQ(tensor[0].count_nonzero().item<int64_t>(), 0) << name;
  }
}

TEST_F(PlusTest, EveryMethodOnImagesKeepsStatistics) {
  for (const auto& name : MethodRegistry::builtin().names(Problem::kImages)) {
    const auto state = after_first(name)->state();
    for (const char* entry : {"mean", "variance", "scatter", "count", "widths"})
      EXPECT_TRUE(state.contains(std::string("statistics.") + entry)) << name << ' ' << entry;
  }
}

TEST_F(PlusTest, WithoutStatisticsOtherMethodsKeepNothingAndThisOneRefuses) {
  groups_.get<StatisticsOptions>().keep = false;

  EXPECT_TRUE(after_first("finetune")->state().empty());
  EXPECT_THROW(make("contrastive+"), ConfigError);
}

TEST_F(PlusTest, ItHasSettingsForRequestsWithoutImages) {
  const auto own = make("contrastive+")->request_settings();

  EXPECT_EQ(own.steps, groups_.get<PlusOptions>().steps);
  EXPECT_EQ(own.lr, groups_.get<PlusOptions>().lr);
  EXPECT_EQ(own.clip_norm, groups_.get<PlusOptions>().clip_norm);
  EXPECT_FALSE(make("mc")->request_settings().steps.has_value());
}

TEST(MethodNameTest, AWordStandsForTheSign) {
  EXPECT_EQ(method_name("contrastive_plus"), "contrastive+");
  EXPECT_EQ(method_name("lwf_star"), "lwf*");
  EXPECT_EQ(method_folder("contrastive+"), "contrastive_plus");
  EXPECT_EQ(MethodRegistry::builtin().find("contrastive_plus").name, "contrastive+");
}

}  // namespace
}  // namespace lethe
