// Checks that a user error gives one line on stderr and an exit status.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/process.h"

namespace lethe::test {

inline size_t lines_in(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

inline void expect_one_line_error(const Outcome& outcome, int status, const std::string& part) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_NE(outcome.err.find("error: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  const auto from = outcome.err.find("error: ");
  EXPECT_EQ(lines_in(outcome.err.substr(from)), 1u) << outcome.err;
}

}  // namespace lethe::test
