#include "lethe/record/ledger.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

class LedgerTest : public testing::Test {
 protected:
  LedgerTest() {
    Ledger ledger(run_);
    for (int i = 0; i < 3; ++i) ledger.append({{"event", i}, {"value", 0.1 * i}});
  }
  std::string text() const { return read_text(run_ / "ledger.jsonl"); }
  void write(const std::string& text) const { write_atomically(run_ / "ledger.jsonl", text); }
  std::string problem() const {
    return message_of<DataError>([&] { const Ledger ledger(run_); });
  }

  test::Scratch scratch_;
  std::filesystem::path run_ = scratch_.path();
};

TEST_F(LedgerTest, WhatIsAppendedIsReadAgainAndEveryLineFollowsTheOneBefore) {
  const Ledger ledger(run_);

  ASSERT_EQ(ledger.lines().size(), 3u);
  EXPECT_EQ(ledger.last_event(), 2);
  EXPECT_EQ(ledger.lines()[0]["previous"], "");
  EXPECT_EQ(ledger.lines()[2]["previous"], ledger.lines()[1]["hash"]);
  EXPECT_EQ(ledger.head(), ledger.lines()[2]["hash"].get<std::string>());
  EXPECT_EQ(ledger.line_of(1)->at("value"), 0.1);
  EXPECT_EQ(ledger.line_of(7), nullptr);
}

TEST_F(LedgerTest, EveryChangedByteIsNoticedAndTheLineIsNamed) {
  const auto whole = text();
  const auto first_line = whole.find('\n');
  for (size_t i = 0; i < whole.size(); ++i) {
    auto changed = whole;
    changed[i] = changed[i] == '1' ? '2' : '1';
    write(changed);
    if (i + 1 == whole.size()) continue;  // the last newline: a torn line, see below
    const char* place = i < first_line ? "ledger.jsonl:1:" : "ledger.jsonl:";
    EXPECT_NE(problem().find(place), std::string::npos) << i;
  }
}

TEST_F(LedgerTest, ARemovedOrRepeatedLineIsNoticed) {
  const auto whole = text();
  const auto first = whole.find('\n') + 1;
  const auto second = whole.find('\n', first) + 1;

  write(whole.substr(0, first) + whole.substr(second));
  EXPECT_NE(problem().find("ledger.jsonl:2: the line does not follow"), std::string::npos);
  write(whole + whole.substr(second));
  EXPECT_NE(problem().find("ledger.jsonl:4: the line does not follow"), std::string::npos);
}

TEST_F(LedgerTest, ALineThatWasInterruptedIsNotPartOfTheLedgerAndTheNextOneReplacesIt) {
  write(text() + "{\"event\":3,\"val");
  Ledger ledger(run_);
  EXPECT_TRUE(ledger.has_torn_line());
  EXPECT_EQ(ledger.last_event(), 2);

  ledger.append({{"event", 3}});

  const Ledger again(run_);
  EXPECT_FALSE(again.has_torn_line());
  EXPECT_EQ(again.last_event(), 3);
}

TEST_F(LedgerTest, NothingOutsideOfTheRunDirectoryCanBeListedAsRemoved) {
  for (const char* name : {"/etc", "../other", "versions/../../other", ".", ""}) {
    write("");
    Ledger ledger(run_);
    ledger.append({{"event", 0}, {"cache", "/etc"}});
    EXPECT_TRUE(ledger.cache_entry().empty());  // not an entry of a cache
    ledger.append({{"event", 1}, {"removed", {"versions/001-learn"}}});
    EXPECT_EQ(ledger.removed().size(), 1u);
    ledger.append({{"event", 2}, {"removed", {name}}});
    if (std::string(name) == "/etc") continue;  // recorded as the cache; recover.cpp leaves it
    EXPECT_THROW(ledger.removed(), DataError) << name;
  }
}

}  // namespace
}  // namespace lethe
