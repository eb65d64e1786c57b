#include "tools/suite/suite_record.h"

#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

SuiteRecord some_record() {
  return {.suite = "table1",
          .profile = "cpu",
          .data = "cifar100",
          .label = "lwf*",
          .seed = 3,
          .identity = {.config = {{"train.lr", "0.02"}, {"model.pretrained", "w.safetensors"}},
                       .data = "d",
                       .weights = "w"},
          .outcome = {.after = {{.a = 0.5}, {.a = 0.4, .f = 0.3, .s = 0.34, .has_f = true}},
                      .last = {.a = 0.4, .f = 0.3, .s = 0.34, .has_f = true, .a_all = 0.2},
                      .mean = {.a = 0.4, .f = 0.3, .s = 0.34, .has_f = true},
                      .matrix = {{.after_task = 2,
                                  .task = 1,
                                  .cell = {.kept = {.accuracy = 0.5, .correct = 5, .total = 10},
                                           .forgotten = {}}}},
                      .shares = {{"ce", 0.75}},
                      .most_left = 0.02},
          .commit = "abc",
          .libtorch = "1.13.0",
          .threads = 2,
          .seconds = 12,
          .resumed = true};
}

TEST(RecordTest, WhatIsReadIsWhatWasWritten) {
  const test::Scratch scratch;
  const auto record = some_record();
  const auto path = record_path(scratch.path(), record, "lwf_star");
  EXPECT_EQ(path.filename(), "table1-cpu-cifar100-lwf_star-s3.json");

  write_record(path, record);
  const auto read = read_record(path);

  EXPECT_EQ(read.label, "lwf*");
  EXPECT_EQ(read.identity.config_hash(), record.identity.config_hash());
  EXPECT_FALSE(difference(record.identity, read.identity));
  EXPECT_EQ(read.outcome.last.s, 0.34);
  EXPECT_EQ(read.outcome.last.a_all, 0.2);
  EXPECT_FALSE(read.outcome.mean.a_all);
  EXPECT_FALSE(read.outcome.after.at(0).has_f);
  EXPECT_EQ(read.outcome.matrix.at(0).cell.kept.accuracy, 0.5);
  EXPECT_EQ(read.outcome.shares.at("ce"), 0.75);
  EXPECT_EQ(read.outcome.most_left, 0.02);
  EXPECT_TRUE(read.resumed);
  EXPECT_EQ(read_records(scratch.path(), "table1", "cpu").size(), 1u);
  EXPECT_TRUE(read_records(scratch.path(), "table1", "paper").empty());
  // One that was written again is the same to the byte: a commit shows what changed.
  const auto text = read_text(path);
  write_record(path, read);
  EXPECT_EQ(read_text(path), text);
}

TEST(RecordTest, ADamagedFileIsNamed) {
  const test::Scratch scratch;
  const auto path = scratch.path() / "table1-x-s0.json";
  write_atomically(path, "{\"suite\": \"table1\"}");
  try {
    read_records(scratch.path(), "table1", "cpu");
    FAIL() << "was read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("table1-x-s0.json"), std::string::npos);
  }
}

TEST(RunIdentityTest, ADifferenceIsNamedAndNewerKeysArePassedOver) {
  const RunIdentity recorded = {.config = {{"train.lr", "0.02"}}, .data = "d", .weights = ""};
  RunIdentity now = recorded;
  now.config["aug.new_key"] = "1";
  EXPECT_FALSE(difference(recorded, now));

  now.config["train.lr"] = "0.05";
  EXPECT_EQ(difference(recorded, now), "train.lr was 0.02, now it is 0.05");
  now = recorded;
  now.data = "e";
  EXPECT_EQ(difference(recorded, now), "the data differ");
}

TEST(RecordTest, KeysOfEarlierVersionsGetTheirPresentNames) {
  const test::Scratch scratch;
  auto record = some_record();
  record.label = "contrastive, deleted_mix=0.5";
  record.identity.config["method.contrastive.deleted_mix"] = "0.5";
  const auto path = record_path(scratch.path(), record, "contrastive");
  write_record(path, record);

  const auto read = read_record(path);

  EXPECT_EQ(read.label, "contrastive, forgotten_mix=0.5");
  EXPECT_EQ(read.identity.config.at("method.contrastive.forgotten_mix"), "0.5");
}

}  // namespace
}  // namespace lethe
