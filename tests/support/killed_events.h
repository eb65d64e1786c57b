// Kills `forget`, `learn` and `purge` at random moments. After every kill the run must be as it was
// before the command or as it is after it, and in the end it must have the same bits as a run that
// was not interrupted.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "lethe/core/random.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"

namespace lethe::test {

// A finished run, as small as possible, and a command that changes it: "forget", "exact" (a request
// with --exact), "learn", "purge" (removes versions) or "erase" (a purge that also erases a class
// from the newest model).
class KilledEvent {
 public:
  explicit KilledEvent(const std::string& name) : name_(name) {
    const auto outcome = lethe(start());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    whole_ = scratch_.path() / "whole";
    copy_run(whole_);
    const auto begun = std::chrono::steady_clock::now();
    const auto changed = lethe(command(whole_));
    EXPECT_EQ(changed.status, 0) << changed.out << changed.err;
    duration_ = std::chrono::steady_clock::now() - begun;
    before_ = ledger_of(before_run_);
    after_ = ledger_of(whole_);
    EXPECT_NE(before_, after_);
  }

  // Repeats the command on copies of the run until it was killed that many times.
  void kill(int wanted) {
    const auto run = scratch_.path() / "run";
    const auto expected = fingerprint(whole_);
    for (int rounds = 0; kills_ < wanted && rounds < 3 * wanted; ++rounds) {
      std::filesystem::remove_all(run);
      copy_run(run);
      for (int attempt = 0; !completed(run, wanted); ++attempt)
        ASSERT_LT(attempt, 6 * wanted) << "the command was never complete";
      EXPECT_EQ(fingerprint(run), expected) << "after " << kills_ << " kills";
      const auto verified = verify_run(run);
      EXPECT_TRUE(verified.passed()) << verified.problems.front();
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_EQ(kills_, wanted);
    EXPECT_GT(kills_before_, 0);  // of these kills, before the event was complete
  }

 private:
  using Arguments = std::vector<std::string>;

  bool is_purge() const { return name_ == "purge" || name_ == "erase"; }

  // A run of three tasks; for a purge with versions that know a class which a request erased, or
  // forgot.
  Arguments start() const {
    Arguments all = {"run", "smoke", "--out", before_run_.string(), "--threads", "1"};
    for (const char* setting :
         {"method.contrastive.cls_source=codes", "data.size=16", "data.train_per_class=16",
          "data.test_per_class=4", "model.width=8", "train.batch=8", "train.epochs=1",
          "train.checkpoint_steps=1", "request.steps=4", "stream.tasks=[2, 1, 1]",
          "forget.margin=0.99", "forget.kept_fall=1", "forget.mean_fall=1"})
      all.insert(all.end(), {"--set", setting});
    if (is_purge())
      all.insert(all.end(), {"--set", "forget.keep_before=true", "--set",
                             "requests=[{classes=[\"solid circle\"], before_task=4}]"});
    if (name_ == "erase") all.insert(all.end(), {"--set", "forget.protocol=paper"});
    return all;
  }

  Arguments command(const std::filesystem::path& run) const {
    if (is_purge()) return {"purge", run.string(), "--apply", "--threads", "1"};
    Arguments all = {name_ == "exact" ? "forget" : name_, run.string(), "--threads", "1"};
    // A killed event is continued; a purge is repeated.
    if (std::filesystem::exists(run / kPendingFile)) {
      all.emplace_back("--resume");
      return all;
    }
    all.insert(all.end(),
               {"--classes", name_ == "learn" ? "solid square" : "solid cross", "--data", "shapes",
                "--set", "data.train_per_class=16", "--set", "data.test_per_class=4"});
    if (name_ == "exact") all.emplace_back("--exact");
    return all;
  }

  void copy_run(const std::filesystem::path& to) const {
    std::filesystem::copy(before_run_, to, std::filesystem::copy_options::recursive);
  }

  // The complete lines without what differs between two runs.
  static std::string ledger_of(const std::filesystem::path& run) {
    const Ledger ledger(run);
    std::string all;
    for (const auto& line : ledger.lines()) all += without_time(line);
    return all;
  }

  // Starts the command and kills it if more kills are wanted. Returns whether nothing is left to
  // do.
  bool completed(const std::filesystem::path& run, int wanted) {
    Process process(command(run));
    bool killed = false;
    if (kills_ < wanted) {
      wait(process, run);
      killed = process.running();
      process.send(SIGKILL);
    }
    const auto outcome = process.finish();
    killed = killed && outcome.status == 128 + SIGKILL;
    EXPECT_TRUE(killed || outcome.status == 0) << outcome.out << outcome.err;
    const bool after = expect_before_or_after(run);
    kills_ += killed;
    kills_before_ += killed && !after;
    // Removals come before the end of an event; those of a purge are left to the next command.
    const bool ended = after && !is_purge() && !std::filesystem::exists(run / kPendingFile);
    return !killed || ended;
  }

  // Every second kill is at a random moment of the whole command. The others come right after its
  // line is in the ledger: that is when the removals begin.
  void wait(Process& process, const std::filesystem::path& run) {
    if (++waits_ % 2 == 1) {
      std::this_thread::sleep_for(duration_ * random_.uniform(0, 1));
      return;
    }
    const auto bytes = std::filesystem::file_size(run / kLedgerFile);
    while (process.running() && std::filesystem::file_size(run / kLedgerFile) == bytes)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    std::this_thread::sleep_for(std::chrono::microseconds(random_.below(3000)));
  }

  // The next command completes removals, so these may be left. Returns whether the event is in the
  // ledger.
  bool expect_before_or_after(const std::filesystem::path& run) const {
    const auto ledger = ledger_of(run);
    EXPECT_TRUE(ledger == before_ || ledger == after_) << ledger;
    for (const auto& problem : verify_run(run).problems) {
      EXPECT_EQ(ledger, after_) << problem;
      EXPECT_NE(problem.find("should have been removed"), std::string::npos) << problem;
    }
    return ledger == after_;
  }

  std::string name_;
  Scratch scratch_;
  std::filesystem::path before_run_ = scratch_.path() / "before";
  std::filesystem::path whole_;
  std::string before_, after_;  // the ledger
  std::chrono::duration<double> duration_{};
  Random random_{1, Purpose::kTest, 7};
  int waits_ = 0;
  int kills_ = 0;
  int kills_before_ = 0;
};

}  // namespace lethe::test
