#include "lethe/core/nearest.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(NearestTest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("lwf", "lwf"), 0);
  EXPECT_EQ(edit_distance("lwf", "lwf*"), 1);
  EXPECT_EQ(edit_distance("finetune", "fintune"), 1);
  EXPECT_EQ(edit_distance("epcohs", "epochs"), 1);
  EXPECT_EQ(edit_distance("EPOCHS", "epochs"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(NearestTest, OffersTheClosestWordButNotAFarOne) {
  const std::vector<std::string> known = {"finetune", "lwf", "contrastive"};

  EXPECT_EQ(did_you_mean("contrastiv", known), "; did you mean 'contrastive'?");
  EXPECT_EQ(did_you_mean("zzzzzzzzzz", known), "");
}

}  // namespace
}  // namespace lethe
