#include "lethe/core/toml.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

template <typename Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(TomlTest, AFileThatIsNotTomlIsNamedWithTheLine) {
  const test::Scratch scratch;
  write_atomically(scratch.path() / "x.toml", "a = 1\nb = \n");
  const auto message = message_of([&] { read_toml(scratch.path() / "x.toml"); });
  EXPECT_NE(message.find("x.toml:2: "), std::string::npos) << message;
  EXPECT_NE(message_of([&] { read_toml(scratch.path() / "y.toml"); }).find("cannot be opened"),
            std::string::npos);
}

}  // namespace
}  // namespace lethe
