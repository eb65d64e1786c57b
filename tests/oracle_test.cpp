// Oracles are trained by processes of the program and kept in a cache.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "lethe/audit/oracle_cache.h"
#include "lethe/audit/oracle_model.h"
#include "lethe/audit/oracle_training.h"
#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/system.h"
#include "lethe/data/load_data.h"
#include "lethe/model/torch.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"
#include "lethe/run/add_event.h"
#include "tests/support/process.h"
#include "tests/support/run_record.h"
#include "tests/support/tiny_run.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

class OracleTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    set_up_threads(1);
    shared_ = new Scratch();
    make_tiny_run(shared_->path() / "run", {"method.name=finetune", "train.checkpoint_steps=2"});
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  static fs::path run() { return shared_->path() / "run"; }

  static std::vector<OracleSpec> specs(int64_t oracles, const fs::path& of = run(),
                                       int64_t version = 2) {
    AuditOptions options;
    options.oracles = oracles;
    return oracle_specs(of, version, options);
  }
  std::vector<TrainedOracle> train(const std::vector<OracleSpec>& specs,
                                   const fs::path& cache) const {
    return train_oracles(specs, {.cache = cache, .side_by_side = 2, .program = LETHE_BINARY});
  }

  static Scratch* shared_;
  Scratch scratch_;
  fs::path cache_ = scratch_.path() / "cache";
};

Scratch* OracleTest::shared_ = nullptr;

TEST_F(OracleTest, TwoAreTrainedSideBySideAndASecondAuditTrainsNothing) {
  const auto all = specs(2);

  const auto trained = train(all, cache_);

  ASSERT_EQ(trained.size(), 2u);
  EXPECT_NE(trained[0].model, trained[1].model);
  for (const auto& oracle : trained) {
    EXPECT_FALSE(oracle.was_cached);
    EXPECT_GT(oracle.cost.seconds, 0);
    EXPECT_EQ(oracle.cost.images, (3 * 12 / 8 + 4 * 12 / 8) * 8);
    EXPECT_EQ(verify_run(oracle.run).problems, std::vector<std::string>{});
    EXPECT_EQ(lethe({"eval", oracle.run.string()}).status, 0);
  }
  const auto before = fs::last_write_time(trained[0].run / kLedgerFile);
  const auto again = train_oracles(all, {.cache = cache_, .program = "/no/such/program"});
  EXPECT_TRUE(again[0].was_cached);
  EXPECT_EQ(again[0].model, trained[0].model);
  EXPECT_EQ(fs::last_write_time(trained[0].run / kLedgerFile), before);
}

TEST_F(OracleTest, AnEarlierVersionNeedsOnlyTheFirstTasksAndALaterOneGoesOn) {
  // Without a request all versions have the same oracle.
  const auto own = scratch_.path() / "run";
  make_tiny_run(own, {"method.name=finetune", "requests=[]"});
  const auto first = train(specs(1, own, 1), cache_).front();
  EXPECT_EQ(versions_of(first.run), (std::vector<int64_t>{1}));

  const auto second = train(specs(1, own, 2), cache_).front();

  EXPECT_EQ(second.run, first.run);
  EXPECT_EQ(versions_of(second.run), (std::vector<int64_t>{1, 2}));
  EXPECT_GT(second.cost.images, first.cost.images);
  EXPECT_TRUE(train(specs(1, own, 1), cache_).front().was_cached);
}

TEST_F(OracleTest, AnInterruptedOneEndsInTheSameBits) {
  const auto spec = specs(1).front();
  const auto whole = train({spec}, cache_).front();
  const auto other = scratch_.path() / "other";
  const auto entry = oracle_entry(other, spec);
  fs::create_directories(entry);
  write_task(entry, spec);

  {  // killed within the first task
    Process process({"oracle", entry.string()});
    while (process.running() && !fs::exists(partial_folder(oracle_run(entry))))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    process.send(SIGKILL);
    process.finish();
  }
  EXPECT_FALSE(is_trained(entry, spec));
  const auto resumed = train({spec}, other).front();

  EXPECT_EQ(fingerprint(resumed.run), fingerprint(whole.run));
}

TEST_F(OracleTest, OneThatAnotherProcessTrainsIsWaitedFor) {
  const auto spec = specs(1).front();
  const auto entry = oracle_entry(cache_, spec);
  fs::create_directories(entry);
  auto lock = std::make_unique<FolderLock>(entry);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    lock.reset();
  });

  const auto trained = train({spec}, cache_).front();
  other.join();

  EXPECT_EQ(lock, nullptr);
  EXPECT_EQ(trained.event, 2);
}

TEST_F(OracleTest, AFailureHasTheMessageOfItsProcess) {
  auto spec = specs(1).front();
  spec.config += "\n[data]\n";  // a table twice

  try {
    train({spec}, cache_);
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("oracle 1000 (finetune): "), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("output.txt"), std::string::npos) << error.what();
  }
}

TEST_F(OracleTest, ItsClassesAreMatchedByNameAndLearnedTasksFollow) {
  const auto own = scratch_.path() / "run";
  fs::copy(run(), own, fs::copy_options::recursive);
  EventOptions learn;
  learn.run = own;
  learn.kind = EventKind::kLearn;
  learn.classes = {"solid circle"};  // forgotten by event 2
  learn.data = "shapes";
  learn.sets = {"data.train_per_class=12", "data.test_per_class=4"};
  learn.epochs = 1;
  add_event(learn);

  const auto oracle = train(specs(1, own, 3), cache_).front();

  RunConfig config;
  read_run_config(config, own);
  const auto plan = plan_of_run(config, read_history(Ledger(own)));
  const auto info = load_data(config.data).train->info();
  const auto loaded = load_oracle(oracle.run, oracle.event, plan, info);
  using Columns = std::vector<std::optional<ClassId>>;
  // Class 0 of the run was forgotten, class 8 is the same class learned again.
  EXPECT_EQ(loaded.columns, (Columns{std::nullopt, 0, 1, 2, 3, 4, 5, 6, 7}));
  const auto logits =
      loaded.network->forward(at::zeros({2, info.channels, info.height, info.width})).logits;
  EXPECT_EQ(logits.size(1), 8);
  EXPECT_FALSE(logits.requires_grad());
  // Before the class came back.
  const auto before = load_oracle(oracle.run, 2, plan, info).columns;
  EXPECT_EQ(before.back(), std::nullopt);
}

}  // namespace
}  // namespace lethe::test
