#include "lethe/features/class_statistics.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"

namespace lethe {
namespace {

// Two stages with 3 and 4 features; class c has mean c.
struct Features {
  std::vector<at::Tensor> stages;
  at::Tensor labels;
};

Features features_of(const std::vector<int64_t>& labels) {
  Features made;
  made.labels = at::tensor(labels, at::kLong);
  const auto level = made.labels.to(at::kDouble).unsqueeze(1);
  const auto count = made.labels.size(0);
  made.stages = {level + at::randn({count, 3}, at::kDouble),
                 level + at::randn({count, 4}, at::kDouble)};
  return made;
}

at::Tensor covariance_of(const at::Tensor& rows) {
  const auto centred = rows - rows.mean(0);
  return centred.t().matmul(centred) / static_cast<double>(rows.size(0));
}

class ClassStatisticsTest : public testing::Test {
 protected:
  void SetUp() override { at::manual_seed(1); }

  // In two batches.
  static void store(ClassStatistics& statistics, const Features& all, const ClassSet& classes) {
    auto moments = ClassStatistics::moments_of(classes);
    const int64_t half = all.labels.size(0) / 2;
    for (const int64_t first : {int64_t{0}, half}) {
      const int64_t count = first == 0 ? half : all.labels.size(0) - half;
      moments.add({all.stages[0].narrow(0, first, count), all.stages[1].narrow(0, first, count)},
                  all.labels.narrow(0, first, count));
    }
    statistics.store(moments);
  }

  static at::Tensor of_class(const Features& all, size_t stage, int64_t id) {
    return all.stages[stage].index_select(0, (all.labels == id).nonzero().squeeze(1));
  }
};

TEST_F(ClassStatisticsTest, MeansAndScatterAreThoseOfAllRows) {
  const auto all = features_of({0, 1, 0, 1, 1, 0, 0, 1, 0});
  ClassStatistics statistics;
  store(statistics, all, {0, 1});

  EXPECT_EQ(statistics.classes(), (ClassSet{0, 1}));
  EXPECT_EQ(statistics.stages(), 2);
  for (const size_t stage : {0, 1}) {
    const auto means = statistics.means(static_cast<int64_t>(stage), {0, 1});
    at::Tensor variance = at::zeros_like(means[0]);
    for (const int64_t id : {0, 1}) {
      const auto rows = of_class(all, stage, id);
      EXPECT_TRUE(at::allclose(means[id], rows.mean(0), 1e-6, 1e-6));
      variance = variance + covariance_of(rows).diagonal() / 2;
    }
    EXPECT_TRUE(
        at::allclose(statistics.variance(static_cast<int64_t>(stage)), variance, 1e-6, 1e-6));
  }
  const auto within = (covariance_of(of_class(all, 1, 0)) + covariance_of(of_class(all, 1, 1))) / 2;
  EXPECT_TRUE(at::allclose(statistics.covariance(), within, 1e-6, 1e-6));
}

TEST_F(ClassStatisticsTest, LaterClassesLeaveEarlierOnesAsTheyAre) {
  ClassStatistics statistics;
  store(statistics, features_of({0, 1, 0, 1}), {0, 1});
  const auto before = statistics.means(1, {0, 1});

  store(statistics, features_of({3, 2, 3, 2, 1}), {2, 3});  // the row of class 1 is ignored

  EXPECT_EQ(statistics.classes(), (ClassSet{0, 1, 2, 3}));
  EXPECT_TRUE(statistics.means(1, {0, 1}).equal(before));
}

TEST_F(ClassStatisticsTest, APurgeIsExact) {
  const auto all = features_of({0, 1, 2, 0, 1, 2, 2, 1});
  ClassStatistics with, without;
  store(with, all, {0, 1, 2});
  store(without, all, {0, 2});

  with.purge({1, 9});

  EXPECT_EQ(with.classes(), (ClassSet{0, 2}));
  EXPECT_EQ(with.bytes_of(1), 0);
  EXPECT_THROW(with.means(0, {1}), Error);
  EXPECT_TRUE(with.covariance().equal(without.covariance()));
  for (const auto& [name, tensor] : with.state()) {
    if (name == "widths") continue;
    EXPECT_EQ(tensor[1].count_nonzero().item<int64_t>(), 0) << name;
    EXPECT_TRUE(tensor[0].equal(without.state().at(name)[0])) << name;
  }
}

TEST_F(ClassStatisticsTest, AClassWithoutRowsIsNotKnown) {
  ClassStatistics statistics;
  store(statistics, features_of({2, 2, 2}), {1, 2});

  EXPECT_FALSE(statistics.has(1));
  EXPECT_TRUE(statistics.has(2));
  EXPECT_GT(statistics.bytes_of(2), 0);
}

TEST_F(ClassStatisticsTest, TheStateRestoresEverything) {
  ClassStatistics statistics, loaded, empty;
  store(statistics, features_of({0, 2, 0, 2}), {0, 1, 2});
  loaded.load(statistics.state());

  EXPECT_EQ(loaded.classes(), statistics.classes());
  EXPECT_TRUE(loaded.covariance().equal(statistics.covariance()));
  EXPECT_TRUE(loaded.variance(0).equal(statistics.variance(0)));
  loaded.load(empty.state());
  EXPECT_TRUE(loaded.empty());
}

TEST_F(ClassStatisticsTest, LongFeaturesHaveADiagonalCovariance) {
  const int64_t width = ClassStatistics::kLongestScatter + 1;
  auto moments = ClassStatistics::moments_of({0});
  const auto rows = at::randn({5, width}, at::kDouble);
  moments.add({rows}, at::zeros({5}, at::kLong));
  ClassStatistics statistics;
  statistics.store(moments);

  const auto diagonal = at::diag(covariance_of(rows).diagonal());
  EXPECT_TRUE(at::allclose(statistics.covariance(), diagonal, 1e-5, 1e-6));
  EXPECT_EQ(statistics.bytes_of(0), 2 * width * 4 + 8);
}

}  // namespace
}  // namespace lethe
