// Memory of a training pass of the paper's segmentation network; see docs/models.md.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>

#include "lethe/model/segmenter.h"
#include "lethe/model/torch.h"

namespace lethe {
namespace {

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST(SegmenterMemoryTest, AnImageOf512TakesLessThanAGibibyte) {
  Segmenter net(SegmenterOptions{}, 0);
  net.add_classes(20, 0);
  const auto image = torch::randn({1, 3, 512, 512});
  const auto labels = torch::zeros({1, 512, 512}, torch::kLong);
  const double before = peak_mebibytes();

  const auto loss = at::cross_entropy_loss(net.forward(image).logits, labels);

  const double kept = peak_mebibytes() - before;
  std::printf("a forward pass of one image: %.0f MiB\n", kept);
  EXPECT_LT(kept, 1024);
  EXPECT_GT(kept, 600);
}

}  // namespace
}  // namespace lethe
