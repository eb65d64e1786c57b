#include "lethe/data/loader.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

using namespace std::chrono_literals;

// Image i is filled with i and has the label i % 3. Counts the calls of get(), which may be slow or
// fail.
class Numbers : public Dataset {
 public:
  explicit Numbers(int64_t size) : size_(size) {
    info_ = {.name = "numbers",
             .class_names = {"a", "b", "c"},
             .channels = 1,
             .height = 4,
             .width = 4,
             .mean = {0},
             .std = {1.0 / 255}};
  }

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return size_; }
  std::vector<int64_t> labels_of(int64_t index) const override { return {index % 3}; }
  Sample get(int64_t index) const override {
    ++asked;
    if (index == failing) throw_error<DataError>("image {} is damaged", index);
    // Later images are faster, so that batches are not finished in order.
    if (slow) std::this_thread::sleep_for(200us * (size_ - index) / size_);
    return {.image = at::full({1, 4, 4}, index, at::kByte), .label = index % 3, .mask = {}};
  }

  bool slow = false;
  int64_t failing = -1;
  mutable std::atomic<int64_t> asked = 0;

 private:
  DatasetInfo info_;
  int64_t size_;
};

// 2 x 2 masks: background, class 1, class 2, void.
class Masks : public Dataset {
 public:
  explicit Masks(bool has_saliency = false) {
    info_ = {.name = "masks",
             .problem = Problem::kMasks,
             .class_names = {"background", "a", "b"},
             .channels = 1,
             .height = 2,
             .width = 2,
             .mean = {0},
             .std = {1},
             .has_saliency = has_saliency};
  }
  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return 3; }
  std::vector<int64_t> labels_of(int64_t) const override { return {1, 2}; }
  Sample get(int64_t) const override {
    return {.image = at::zeros({1, 2, 2}, at::kByte),
            .label = -1,
            .mask = at::tensor({0, 1, 2, 255}, at::kByte).reshape({2, 2}),
            .saliency = at::tensor({5, 6, 7, 8}, at::kByte).reshape({2, 2})};
  }

 private:
  DatasetInfo info_;
};

std::vector<int64_t> first(int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

const LabelMap kSame = {0, 1, 2};

std::vector<Batch> all_batches(Loader& loader) {
  std::vector<Batch> batches;
  while (auto batch = loader.next()) batches.push_back(*std::move(batch));
  return batches;
}

std::vector<Batch> all_batches(const DatasetPtr& data, const LoaderOptions& options,
                               const Augmentation& augmentation = {}) {
  Loader loader(data, first(data->size()), kSame, Transform(data->info(), augmentation), options);
  return all_batches(loader);
}

bool same(const std::vector<Batch>& a, const std::vector<Batch>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Batch& x, const Batch& y) {
    return at::equal(x.images, y.images) && at::equal(x.labels, y.labels);
  });
}

TEST(LoaderTest, HandsOutThePassInOrder) {
  const auto data = std::make_shared<Numbers>(8);

  Loader loader(data, {5, 2, 7}, kSame, Transform(data->info()), {.batch = 2});
  const auto batches = all_batches(loader);

  ASSERT_EQ(batches.size(), 2);
  EXPECT_EQ(batches[0].images.sizes(), (std::vector<int64_t>{2, 1, 4, 4}));
  EXPECT_EQ(batches[0].images.scalar_type(), at::kFloat);
  EXPECT_TRUE(batches[0].images.is_contiguous());
  EXPECT_NEAR(batches[0].images[0].mean().item<float>(), 5, 1e-5);
  EXPECT_NEAR(batches[0].images[1].mean().item<float>(), 2, 1e-5);
  EXPECT_TRUE(at::equal(batches[0].labels, at::tensor(std::vector<int64_t>{2, 2})));
  EXPECT_EQ(batches[1].size(), 1);
  EXPECT_NEAR(batches[1].images.mean().item<float>(), 7, 1e-5);
  EXPECT_FALSE(loader.next().has_value());
}

TEST(LoaderTest, TheNumberOfThreadsChangesNothing) {
  const auto data = std::make_shared<Numbers>(100);
  data->slow = true;
  const Augmentation augmentation = {.pad = 2, .flip = true, .rotation = 30};
  const auto plain =
      all_batches(data, {.batch = 7, .threads = 0, .seed = 5, .epoch = 2}, augmentation);

  for (const int threads : {1, 3}) {
    for (const int prefetch : {1, 4}) {
      EXPECT_TRUE(same(
          plain,
          all_batches(data,
                      {.batch = 7, .threads = threads, .prefetch = prefetch, .seed = 5, .epoch = 2},
                      augmentation)));
    }
  }
  EXPECT_EQ(plain.size(), 15);
}

TEST(LoaderTest, AugmentationDependsOnSeedEpochAndSampleOnly) {
  const auto data = std::make_shared<Numbers>(20);
  const Augmentation augmentation = {.pad = 2};
  const auto pass = [&](uint64_t seed, uint32_t epoch, int64_t batch) {
    return all_batches(data, {.batch = batch, .seed = seed, .epoch = epoch}, augmentation);
  };
  const auto whole = pass(0, 0, 20);

  EXPECT_FALSE(same(whole, pass(1, 0, 20)));
  EXPECT_FALSE(same(whole, pass(0, 1, 20)));
  const auto parts = pass(0, 0, 10);
  EXPECT_TRUE(at::equal(whole[0].images, at::cat({parts[0].images, parts[1].images})));
}

TEST(LoaderTest, StartsAtTheFirstBatchThatIsAskedFor) {
  const auto data = std::make_shared<Numbers>(20);
  const Augmentation augmentation = {.pad = 2};
  auto batches = all_batches(data, {.batch = 4, .threads = 2}, augmentation);
  batches.erase(batches.begin(), batches.begin() + 3);

  for (const int threads : {0, 2}) {
    EXPECT_TRUE(same(batches, all_batches(data, {.batch = 4, .threads = threads, .first_batch = 3},
                                          augmentation)));
    EXPECT_TRUE(all_batches(data, {.batch = 4, .threads = threads, .first_batch = 5}).empty());
  }
}

TEST(LoaderTest, DropLastLeavesOutOnlyABatchThatIsNotFull) {
  EXPECT_EQ(num_batches(10, 4, false), 3);
  EXPECT_EQ(num_batches(10, 4, true), 2);
  EXPECT_EQ(num_batches(8, 4, true), 2);
  EXPECT_EQ(num_batches(3, 4, true), 1);
  EXPECT_EQ(num_batches(0, 4, true), 0);
  EXPECT_EQ(num_batches(0, 4, false), 0);
}

TEST(LoaderTest, APassSmallerThanOneBatchIsKept) {
  const auto batches = all_batches(std::make_shared<Numbers>(3), {.batch = 8, .drop_last = true});

  ASSERT_EQ(batches.size(), 1);
  EXPECT_EQ(batches[0].size(), 3);
}

TEST(LoaderTest, APassWithoutSamplesHasNoBatch) {
  const auto data = std::make_shared<Numbers>(3);

  Loader loader(data, {}, kSame, Transform(data->info()), {});

  EXPECT_EQ(loader.num_batches(), 0);
  EXPECT_FALSE(loader.next().has_value());
}

TEST(LoaderTest, LabelsAreTranslated) {
  const auto data = std::make_shared<Numbers>(3);

  Loader loader(data, {0, 1, 2}, {7, 8, kVoid}, Transform(data->info()), {});

  EXPECT_TRUE(at::equal(loader.next()->labels, at::tensor(std::vector<int64_t>{7, 8, 255})));
}

TEST(LoaderTest, MasksAreTranslatedPixelByPixel) {
  const auto data = std::make_shared<Masks>();
  LabelMap labels(256, 0);
  labels[1] = 5;
  labels[255] = kVoid;

  Loader loader(data, {0, 1, 2}, labels, Transform(data->info()), {.batch = 2});
  const auto batches = all_batches(loader);

  ASSERT_EQ(batches.size(), 2);
  const auto expected = at::tensor(std::vector<int64_t>{0, 5, 0, 255}).reshape({1, 2, 2});
  EXPECT_TRUE(at::equal(batches[0].labels, expected.expand({2, 2, 2})));
  EXPECT_TRUE(at::equal(batches[1].labels, expected));
}

TEST(LoaderTest, PixelsThatAugmentationLeavesEmptyGetTheEntryOfVoid) {
  const auto data = std::make_shared<Masks>();
  LabelMap labels(256, 0);
  labels[255] = 77;

  Loader loader(data, {0}, labels, Transform(data->info(), {.pad = 40}), {});

  // Shifted by up to 40 pixels, an image of 2 x 2 is almost certainly outside.
  EXPECT_TRUE(at::equal(loader.next()->labels, at::full({1, 2, 2}, 77, at::kLong)));
}

TEST(LoaderTest, AnErrorOfALoadingThreadComesOutOfNext) {
  for (const int threads : {0, 1, 3}) {
    const auto data = std::make_shared<Numbers>(40);
    data->failing = 13;
    Loader loader(data, first(40), kSame, Transform(data->info()),
                  {.batch = 4, .threads = threads});

    for (int i = 0; i < 3; ++i) EXPECT_TRUE(loader.next().has_value());
    EXPECT_EQ(message_of<DataError>([&] { loader.next(); }), "image 13 is damaged");
    EXPECT_EQ(message_of<DataError>([&] { loader.next(); }), "image 13 is damaged");
  }
}

TEST(LoaderTest, MakesNoMoreThanPrefetchBatchesAhead) {
  const auto data = std::make_shared<Numbers>(100);
  Loader loader(data, first(100), kSame, Transform(data->info()),
                {.batch = 5, .threads = 2, .prefetch = 3});

  loader.next();
  for (int i = 0; i < 1000 && data->asked < 20; ++i) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(20ms);  // time for an error to appear

  EXPECT_EQ(data->asked, 20);  // one batch returned, three ready
}

TEST(LoaderTest, CanBeDestroyedInTheMiddleOfAPass) {
  const auto data = std::make_shared<Numbers>(3000);
  data->slow = true;
  for (const int taken : {0, 1, 5}) {
    const auto loader =
        std::make_unique<Loader>(data, first(3000), kSame, Transform(data->info()),
                                 LoaderOptions{.batch = 10, .threads = 3, .prefetch = 2});
    for (int i = 0; i < taken; ++i) EXPECT_TRUE(loader->next().has_value());
  }
  EXPECT_LT(data->asked, 200);
}

TEST(LoaderTest, RefusesOptionsAndSamplesOutOfRange) {
  const auto data = std::make_shared<Numbers>(10);
  const auto make = [&](const LoaderOptions& options) {
    Loader(data, {0, 1}, kSame, Transform(data->info()), options);
  };

  EXPECT_THROW(make({.batch = 0}), ConfigError);
  EXPECT_THROW(make({.threads = -1}), ConfigError);
  EXPECT_THROW(make({.prefetch = 0}), ConfigError);
  EXPECT_THROW(make({.first_batch = -1}), ConfigError);
  EXPECT_THROW(make({.first_batch = 2}), ConfigError);
  EXPECT_THROW(Loader(data, {10}, kSame, Transform(data->info()), {}), Error);
  EXPECT_THROW(Loader(data, {2}, {0, 1}, Transform(data->info()), {}).next(), Error);
  const auto masks = std::make_shared<Masks>();
  EXPECT_THROW(Loader(masks, {0}, kSame, Transform(masks->info()), {}), Error);
}

TEST(ShuffledTest, IsAPermutationThatDependsOnSeedAndEpoch) {
  const auto samples = first(50);

  auto order = shuffled(samples, 3, 1);

  EXPECT_NE(order, samples);
  EXPECT_EQ(order, shuffled(samples, 3, 1));
  EXPECT_NE(order, shuffled(samples, 3, 2));
  EXPECT_NE(order, shuffled(samples, 4, 1));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, samples);
}

TEST(LoaderTest, SaliencyFollowsTheGeometryOfTheMask) {
  const auto data = std::make_shared<Masks>(true);
  LabelMap labels(256);
  std::iota(labels.begin(), labels.end(), 0);

  Loader loader(data, first(3), labels, Transform(data->info(), {.flip = true}), {.batch = 3});
  const auto batch = *loader.next();
  const auto without = std::make_shared<Masks>();
  Loader plain(without, first(3), labels, Transform(without->info()), {.batch = 3});

  ASSERT_EQ(batch.saliency.sizes(), (at::IntArrayRef{3, 2, 2}));
  EXPECT_EQ(batch.saliency.scalar_type(), at::kByte);
  EXPECT_TRUE(at::equal(batch.saliency.eq(5), batch.labels.eq(0)));
  EXPECT_TRUE(at::equal(batch.saliency.eq(8), batch.labels.eq(255)));
  EXPECT_FALSE(plain.next()->saliency.defined());
}

}  // namespace
}  // namespace lethe
