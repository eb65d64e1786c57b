// As kill_test.cpp, with fifty kills of each command.
#include "tests/support/killed_events.h"

namespace lethe::test {
namespace {

class OftenKilledEventTest : public testing::TestWithParam<const char*> {};

TEST_P(OftenKilledEventTest, AtRandomMomentsTheRunIsBeforeOrAfterAndEndsInTheSameBits) {
  KilledEvent(GetParam()).kill(50);
}

INSTANTIATE_TEST_SUITE_P(Of, OftenKilledEventTest,
                         testing::Values("forget", "learn", "purge", "erase"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace lethe::test
