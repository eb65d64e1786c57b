#include "lethe/core/system.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lethe {
namespace {

TEST(SystemTest, ThereIsAtLeastOneCoreAndNoMoreThanLogicalOnes) {
  EXPECT_GE(physical_cores(), 1);
  EXPECT_LE(physical_cores(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(SystemTest, TheReferenceBlasIsTold) {
  EXPECT_TRUE(is_reference_blas("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0"));
  EXPECT_FALSE(is_reference_blas("/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3"));
  EXPECT_FALSE(is_reference_blas(""));
}

TEST(SystemTest, TheProgramKnowsItsVersions) {
  EXPECT_FALSE(version().empty());
  EXPECT_FALSE(commit().empty());
  EXPECT_NE(torch_version().find('.'), std::string::npos);
}

TEST(SystemTest, ThePeakOfMemoryGrowsWithWhatIsTouchedAndCanBeReset) {
  constexpr size_t kBytes = size_t{1} << 28;
  const double before = peak_memory_gib();
  {
    const std::vector<char> block(kBytes, 1);
    ASSERT_EQ(block.back(), 1);
  }
  const double with = peak_memory_gib();

  reset_peak_memory();

  EXPECT_GT(before, 0);
  EXPECT_GE(with - before, 0.2);
  EXPECT_LT(peak_memory_gib(), with - 0.2);
}

}  // namespace
}  // namespace lethe
