// main() of every test executable: silences the log, then runs the tests.
#include <gtest/gtest.h>

#include "lethe/core/log.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lethe::set_log_level(lethe::LogLevel::kError);
  return RUN_ALL_TESTS();
}
