// Commands that change a finished run are killed at ten random moments each.
#include "tests/support/killed_events.h"

namespace lethe::test {
namespace {

class KilledEventTest : public testing::TestWithParam<const char*> {};

TEST_P(KilledEventTest, AtRandomMomentsTheRunIsBeforeOrAfterAndEndsInTheSameBits) {
  KilledEvent(GetParam()).kill(10);
}

INSTANTIATE_TEST_SUITE_P(Of, KilledEventTest, testing::Values("forget", "learn", "purge", "exact"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace lethe::test
