#include "lethe/record/keep_options.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

using Versions = std::vector<int64_t>;

TEST(VersionsToRemoveTest, ARequestRemovesEveryVersionThatKnewItsClass) {
  const EventClosed closed = {.versions = {1, 2, 3, 4}, .event = 4, .learned_in = 2};

  EXPECT_EQ(versions_to_remove(closed, {.keep_versions = 0}), (Versions{2, 3}));
}

TEST(VersionsToRemoveTest, WithKeepBeforeAllVersionsStay) {
  const EventClosed closed = {.versions = {1, 2, 3, 4}, .event = 4, .learned_in = 2};

  EXPECT_TRUE(versions_to_remove(closed, {.keep_before = true}).empty());
}

TEST(VersionsToRemoveTest, WithoutARequestTheNewestVersionsStay) {
  const EventClosed closed = {.versions = {2, 3, 4}, .event = 4};

  EXPECT_EQ(versions_to_remove(closed, {}), (Versions{2}));
  EXPECT_EQ(versions_to_remove(closed, {.keep_versions = 1}), (Versions{2, 3}));
}

TEST(VersionsToRemoveTest, ThePaperProtocolRemovesNothingBeforeTheLastEvent) {
  EventClosed closed = {.versions = {1, 2, 3}, .event = 3, .learned_in = 1};

  EXPECT_TRUE(versions_to_remove(closed, {.protocol = Protocol::kPaper}).empty());
  closed.is_last = true;
  EXPECT_EQ(versions_to_remove(closed, {.protocol = Protocol::kPaper}), (Versions{1, 2}));
}

}  // namespace
}  // namespace lethe
