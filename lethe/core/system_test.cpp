#include "lethe/core/system.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>

namespace lethe {
namespace {

TEST(SystemTest, ThereIsAtLeastOneCoreAndNoMoreThanLogicalCpus) {
  EXPECT_GE(physical_cores(), 1);
  EXPECT_LE(physical_cores(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(SystemTest, TheReferenceBlasIsRecognised) {
  EXPECT_TRUE(is_reference_blas("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0"));
  EXPECT_FALSE(is_reference_blas("/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3"));
  EXPECT_FALSE(is_reference_blas(""));
}

TEST(SystemTest, TheProgramKnowsItsVersions) {
  EXPECT_FALSE(version().empty());
  EXPECT_FALSE(commit().empty());
  EXPECT_NE(torch_version().find('.'), std::string::npos);
}

TEST(SystemTest, PeakMemoryGrowsWithTouchedPagesAndCanBeReset) {
  constexpr size_t kBytes = size_t{1} << 28;
  const double before = peak_memory_gib();
  // Directly from the kernel: an allocator might keep freed memory.
  void* block = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBytes);
  ASSERT_EQ(::munmap(block, kBytes), 0);
  const double with = peak_memory_gib();

  reset_peak_memory();

  EXPECT_GT(before, 0);
  EXPECT_GE(with - before, 0.2);
  EXPECT_LT(peak_memory_gib(), with - 0.2);
}

}  // namespace
}  // namespace lethe
