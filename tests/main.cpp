// Entry of every test executable: quiet log, then the tests.
#include <gtest/gtest.h>

#include "lethe/core/log.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lethe::set_log_level(lethe::LogLevel::kError);
  return RUN_ALL_TESTS();
}
