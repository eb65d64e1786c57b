#include "lethe/data/batch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace lethe {
namespace {

Batch numbered(int64_t images, bool with_saliency) {
  Batch batch = {.images = at::arange(images).to(at::kFloat).reshape({images, 1, 1, 1}),
                 .labels = at::arange(images).reshape({images, 1, 1}) + 100};
  if (with_saliency) batch.saliency = (at::arange(images) + 200).to(at::kByte).reshape({-1, 1, 1});
  return batch;
}

TEST(BatchTest, PartsHoldEveryTensorOfTheirImages) {
  const auto parts = numbered(5, true).split(3);

  ASSERT_EQ(parts.size(), 3u);
  int64_t next = 0;
  for (const auto& part : parts) {
    ASSERT_EQ(part.labels.size(0), part.size());
    ASSERT_EQ(part.saliency.size(0), part.size());
    for (int64_t i = 0; i < part.size(); ++i, ++next) {
      EXPECT_EQ(part.images[i].item<float>(), static_cast<float>(next));
      EXPECT_EQ(part.labels[i].item<int64_t>(), 100 + next);
      EXPECT_EQ(part.saliency[i].item<int64_t>(), 200 + next);
    }
  }
  EXPECT_EQ(next, 5);
}

TEST(BatchTest, NoPartIsEmptyAndWhatIsNotThereStaysAway) {
  const auto parts = numbered(2, false).split(7);

  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].size(), 1);
  EXPECT_FALSE(parts[0].saliency.defined());
  EXPECT_EQ(Batch{}.split(4).size(), 1u);
  EXPECT_FALSE(Batch{}.to(at::kCPU).images.defined());
}

TEST(BatchTest, AllTensorsGoToADevice) {
  const auto moved = numbered(2, true).to(at::kMeta);

  for (const auto& tensor : {moved.images, moved.labels, moved.saliency})
    EXPECT_TRUE(tensor.is_meta());
}

}  // namespace
}  // namespace lethe
