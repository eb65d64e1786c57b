#include "lethe/method/class_loss.h"

#include "lethe/model/torch.h"
#include "tests/support/fake_stream.h"

namespace lethe {
namespace {

// Classes a, b | c, d; 'a' is forgotten in the second task.
class ClassLossTest : public test::FakeStream {
 protected:
  // The loss of one sample of class c with the scores 0.9, 0.1, 0.5, 0.3.
  double loss_of_c(Scenario scenario) {
    auto task = plan_.task(2);
    task.scenario = scenario;
    const auto batch = batch_of({2});
    const Step step(task, batch, *network_, old_.get(), watch_, {});
    const auto logits = torch::tensor({{0.9, 0.1, 0.5, 0.3}}, torch::kFloat64);
    return class_loss(step, logits, batch.labels, {.first = 2, .count = 2}, options_)
        .item<double>();
  }
  AdditiveMarginOptions options_ = {.scale = 10, .margin = 0.2};
};

// ln(1 + sum over the other classes of exp(10 (s - (0.5 - 0.2)))).
TEST_F(ClassLossTest, WithTheTaskGivenTheOtherClassesOfTheTaskCompete) {
  next_task();

  EXPECT_NEAR(loss_of_c(Scenario::kTask), std::log(1 + std::exp(0.0)), 1e-12);
}

TEST_F(ClassLossTest, OverAllClassesKeptOnesCompeteAndForgottenOnesDoNot) {
  next_task();

  EXPECT_NEAR(loss_of_c(Scenario::kClass), std::log(1 + std::exp(0.0) + std::exp(-2.0)), 1e-12);
}

TEST_F(ClassLossTest, ErasedClassesDoNotCompete) {
  next_task();
  network_->erase({3});

  EXPECT_NEAR(loss_of_c(Scenario::kTask), 0, 1e-12);
}

TEST_F(ClassLossTest, ImagesOfKeptClassesAreComparedWithTheirOwnHead) {
  next_task();
  Task task;
  task.kept = {1, 2, 3};
  task.forgotten = {0};
  task.on_kept_images = true;
  const auto batch = batch_of({1, 2});
  const auto logits = torch::tensor({{0.9, 0.1, 0.5, 0.3}, {0.9, 0.1, 0.5, 0.3}}, torch::kFloat64);
  const auto loss = [&] {
    const Step step(task, batch, *network_, old_.get(), watch_, {});
    return batch_loss(step, logits, batch.labels, options_).item<double>();
  };
  // ln(1 + sum over the others of exp(10 (s - (s_own - 0.2)))) of 'b' and 'c'.
  const double of_c = std::log(1 + std::exp(0.0));

  EXPECT_NEAR(loss(), (std::log(1 + std::exp(10.0)) + of_c) / 2, 1e-12);
  task.scenario = Scenario::kClass;
  EXPECT_NEAR(
      loss(),
      (std::log(1 + std::exp(6.0) + std::exp(4.0)) + std::log(1 + std::exp(-2.0) + std::exp(0.0))) /
          2,
      1e-12);
  task.scenario = Scenario::kTask;
  network_->erase({0});
  EXPECT_NEAR(loss(), of_c / 2, 1e-12);
}

// -mean ln softmax(10 s), over the classes of the head or over all classes that stay.
TEST_F(ClassLossTest, ImagesOfAForgottenClassShouldGetAUniformPrediction) {
  next_task();
  Task task;
  task.kept = {1, 2, 3};
  task.forgotten = task.requested = {0};
  task.on_kept_images = task.on_forgotten_images = true;
  const auto batch = batch_of({0, 2});
  const auto logits = torch::tensor({{0.9, 0.1, 0.5, 0.3}, {0.9, 0.1, 0.5, 0.3}}, torch::kFloat64);
  const auto loss = [&] {
    const Step step(task, batch, *network_, old_.get(), watch_, {});
    return batch_loss(step, logits, batch.labels, options_).item<double>();
  };

  const double of_c = std::log(1 + std::exp(0.0));
  const double of_a = std::log(std::exp(9.0) + std::exp(1.0)) - 5;
  EXPECT_NEAR(loss(), (of_a + of_c) / 2, 1e-12);
  task.scenario = Scenario::kClass;
  const double among_kept = std::log(std::exp(1.0) + std::exp(5.0) + std::exp(3.0)) - 3;
  EXPECT_NEAR(loss(), (among_kept + std::log(1 + std::exp(-2.0) + std::exp(0.0))) / 2, 1e-12);
}

}  // namespace
}  // namespace lethe
