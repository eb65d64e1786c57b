#include "lethe/core/toml.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

TEST(TomlTest, AFileThatIsNotTomlIsNamedWithTheLine) {
  const test::Scratch scratch;
  write_atomically(scratch.path() / "x.toml", "a = 1\nb = \n");
  const auto message = message_of<ConfigError>([&] { read_toml(scratch.path() / "x.toml"); });
  EXPECT_NE(message.find("x.toml:2: "), std::string::npos) << message;
  EXPECT_NE(message_of<ConfigError>([&] {
              read_toml(scratch.path() / "y.toml");
            }).find("cannot be opened"),
            std::string::npos);
}

}  // namespace
}  // namespace lethe
