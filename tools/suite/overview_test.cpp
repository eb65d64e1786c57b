#include "tools/suite/overview.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

TEST(OverviewTest, TheCommittedPagesAreThoseThatTheCommittedRecordsGive) {
  const test::Scratch scratch;
  const auto docs = fs::path(LETHE_SOURCE_DIR) / "docs";
  const auto copy = scratch.path() / "docs";
  fs::create_directories(copy / "results");
  fs::copy(docs / "results" / "records", copy / "results" / "records", fs::copy_options::recursive);

  EXPECT_GT(write_overview(copy / "results", copy / "reproducing.md"), 0);

  EXPECT_EQ(read_text(copy / "reproducing.md"), read_text(docs / "reproducing.md"));
  for (const auto& entry : fs::directory_iterator(copy / "results")) {
    if (!entry.is_regular_file()) continue;
    const auto name = entry.path().filename();
    EXPECT_EQ(read_text(entry.path()), read_text(docs / "results" / name))
        << name << ": write it again: lethe suite --overview docs/reproducing.md";
  }
}

TEST(OverviewTest, WithoutRecordsThereIsNoPage) {
  const test::Scratch scratch;

  EXPECT_THROW(write_overview(scratch.path(), scratch.path() / "page.md"), DataError);
  EXPECT_FALSE(fs::exists(scratch.path() / "page.md"));
}

}  // namespace
}  // namespace lethe
