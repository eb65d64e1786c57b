#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lethe/core/config.h"
#include "lethe/core/error.h"
#include "lethe/core/toml.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

struct Entry {
  int64_t count = 0;
  std::string file;
};

Fields fields_of(Entry& entry) {
  Field file = {"file", &entry.file, "a file"};
  file.is_path = true;
  return {{"count", &entry.count, "a number", at_least(0)}, file};
}

TEST(ApplyTableTest, ATableIsReadIntoItsFields) {
  Entry entry;
  apply_table(parse_toml("count = 3\nfile = \"a/b\"\n", "x"), "x", "/base", fields_of(entry));
  EXPECT_EQ(entry.count, 3);
  EXPECT_EQ(entry.file, "/base/a/b");
}

TEST(ApplyTableTest, AMistakeInATableNamesOriginAndKey) {
  Entry entry;
  const auto apply = [&](const char* toml) {
    return message_of<ConfigError>(
        [&] { apply_table(parse_toml(toml, "x"), "x: item 2", "", fields_of(entry)); });
  };
  EXPECT_EQ(apply("cuont = 3"), "x: item 2: unknown key 'cuont'; did you mean 'count'?");
  EXPECT_EQ(apply("count = -1"), "x: item 2: count = -1: must be >= 0");
}

TEST(ApplyTableTest, AnAssignmentIsReadAsItsFieldWantsIt) {
  Entry entry;
  const auto fields = fields_of(entry);
  EXPECT_EQ(apply_assignment("file=3", "x", "/base", fields).key, "file");
  EXPECT_EQ(entry.file, "/base/3");
  EXPECT_EQ(message_of<ConfigError>([&] { apply_assignment("count", "x", "", fields); }),
            "x: count: expected KEY=VALUE, e.g. train.lr=0.05");
  EXPECT_EQ(message_of<ConfigError>([&] { apply_assignment("count=many", "x", "", fields); }),
            "x: count = \"many\": must be an integer");
}

}  // namespace
}  // namespace lethe
