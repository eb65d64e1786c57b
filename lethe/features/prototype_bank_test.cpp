#include "lethe/features/prototype_bank.h"

#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>
#include <torch/version.h>

#include "lethe/core/error.h"
#include "tests/support/tv10.h"

namespace lethe {
namespace {

using test::ids;
using test::points;
using test::TV10;

PrototypeBank bank_of(const TV10& tv, const at::Tensor& counts, const PrototypeOptions& options) {
  PrototypeBank bank(options);
  bank.load({{"mean", tv.stored}, {"count", counts}});
  return bank;
}

TEST(PrototypeBankTest, TV10PixelCountUpdate) {
  const TV10 tv;
  auto bank = bank_of(tv, tv.counts, {});
  const auto groups = group_by_class(tv.features, tv.labels);

  bank.update(groups);

  EXPECT_TRUE(
      at::allclose(groups.means(), points({0.5, 0.5, 3.666667, 1.0, 1.0, 4.666667}), 0, 1e-6));
  EXPECT_TRUE(at::allclose(bank.of(ids({0, 1, 2})),
                           points({0.833333, 0.833333, 3.222222, 0.333333, 0.5, 3.833333}), 0,
                           1e-6));
  EXPECT_TRUE(bank.state().at("count").equal(ids({6, 9, 6})));
}

TEST(PrototypeBankTest, TV10IterationUpdate) {
  const TV10 tv;
  auto by_pixel = bank_of(tv, ids({4, 4, 4}), {.update = PrototypeUpdate::kIteration});
  auto by_image = bank_of(tv, ids({4, 4, 4}), {.update = PrototypeUpdate::kIteration});

  by_pixel.update(group_by_class(tv.features, tv.labels));
  by_image.update(group_by_class(tv.features, tv.labels, {}, tv.images));

  EXPECT_TRUE(at::allclose(by_pixel.of(ids({0, 1, 2})),
                           points({0.9, 0.9, 3.133333, 0.2, 0.2, 3.333333}), 0, 1e-6));
  EXPECT_TRUE(
      at::allclose(by_image.of(ids({0, 1, 2})), points({0.9, 0.9, 3.2, 0.2, 0.15, 3.3}), 0, 1e-6));
  EXPECT_TRUE(by_image.state().at("count").equal(ids({5, 5, 5})));
}

TEST(PrototypeBankTest, IsTheExactMeanOfAllRowsInAnyOrderOfBatches) {
  const auto features = at::randn({60, 3}, at::kDouble);
  const auto labels = at::arange(60).remainder(4);
  PrototypeBank forwards, backwards;
  for (int64_t i = 0; i < 6; ++i) {
    forwards.update(group_by_class(features.narrow(0, 10 * i, 10), labels.narrow(0, 10 * i, 10)));
    backwards.update(
        group_by_class(features.narrow(0, 50 - 10 * i, 10), labels.narrow(0, 50 - 10 * i, 10)));
  }
  const auto classes = ids({0, 1, 2, 3});

  const auto exact = group_by_class(features, labels).means();

  EXPECT_TRUE(at::allclose(forwards.of(classes), exact, 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(backwards.of(classes), exact, 1e-12, 1e-12));
}

TEST(PrototypeBankTest, AnAbsentClassDoesNotChange) {
  const TV10 tv;
  auto bank = bank_of(tv, tv.counts, {});

  bank.update(group_by_class(points({9, 9}), ids({1})));

  EXPECT_TRUE(bank.of(ids({0, 2})).equal(tv.stored.index_select(0, ids({0, 2}))));
}

TEST(PrototypeBankTest, AnEmaStartsWithItsFirstBatch) {
  PrototypeBank bank({.update = PrototypeUpdate::kEma, .momentum = 0.75});
  bank.update(group_by_class(points({4, 8}), ids({1})));
  bank.update(group_by_class(points({8, 0}), ids({1})));

  EXPECT_TRUE(at::allclose(bank.of(ids({1})), points({5, 6})));
  EXPECT_FALSE(bank.has(0));
}

TEST(PrototypeBankTest, FeaturesAreDetached) {
  auto features = points({1, 2}).requires_grad_();
  PrototypeBank bank;
  bank.update(group_by_class(features * 2, ids({0})));

  EXPECT_FALSE(bank.of(ids({0})).requires_grad());
}

TEST(PrototypeBankTest, AnErasedClassIsGoneFromTheStateToo) {
  const TV10 tv;
  auto bank = bank_of(tv, tv.counts, {});
  EXPECT_EQ(bank.bytes_of(1), 3 * 8);

  bank.erase(ClassSet{1, 77});

  EXPECT_EQ(bank.classes(), (ClassSet{0, 2}));
  EXPECT_EQ(bank.bytes_of(1), 0);
  EXPECT_EQ(bank.state().at("mean")[1].abs().sum().item<double>(), 0);
  EXPECT_TRUE(
      bank.known(ids({0, 1, 99})).equal(at::tensor(std::vector<int64_t>{1, 0, 0}).to(at::kBool)));
}

// Bytes that LibTorch allocates on the CPU within a scope.
class Allocations : public c10::MemoryReportingInfoBase {
 public:
#if TORCH_VERSION_MAJOR >= 2
  using Total = size_t;
#else
  using Total = int64_t;
#endif
  void reportMemoryUsage(void*, int64_t size, Total, Total, c10::Device) override { add(size); }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t bytes = 0;

 private:
  void add(int64_t size) {
    if (size > 0) bytes += size;
  }
};

TEST(PrototypeBankTest, TheCostOfAnUpdateDoesNotDependOnTheNumberOfAbsentClasses) {
  const auto cost = [](int64_t classes) {
    PrototypeBank bank;
    bank.load({{"mean", at::zeros({classes, 8})}, {"count", at::ones({classes}, at::kLong)}});
    const auto features = at::randn({20, 8});
    const auto labels = at::arange(20).remainder(5) + (classes - 5);
    auto counter = std::make_shared<Allocations>();
    const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, counter);
    const auto groups = group_by_class(features, labels);
    bank.update(groups);
    bank.of(groups.classes);
    return counter->bytes;
  };

  EXPECT_GT(cost(10), 0);
  EXPECT_EQ(cost(10), cost(100000));
}

}  // namespace
}  // namespace lethe
