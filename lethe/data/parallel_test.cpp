#include "lethe/data/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace lethe {
namespace {

TEST(ParallelTest, EveryNumberIsWorkedOnOnceWhateverTheThreads) {
  for (const int threads : {1, 3, 50}) {
    std::vector<std::atomic<int>> done(20);

    parallel_for(5, 20, threads, [&](int64_t i) { ++done[static_cast<size_t>(i)]; });

    for (size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], i < 5 ? 0 : 1);
  }
}

TEST(ParallelTest, OfSeveralErrorsTheOneOfTheLowestNumberComesOut) {
  for (const int threads : {1, 4}) {
    try {
      parallel_for(0, 100, threads, [](int64_t i) {
        if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

TEST(ParallelTest, NothingToDoIsDone) {
  parallel_for(3, 3, 2, [](int64_t) { FAIL(); });
}

}  // namespace
}  // namespace lethe
