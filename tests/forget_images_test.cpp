// Requests that use more than images of kept classes: unlabelled images, images of the class to
// forget.
#include <gtest/gtest.h>

#include "tests/support/image_files.h"
#include "tests/support/one_line_error.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"

namespace lethe::test {
namespace {

using Arguments = std::vector<std::string>;

class ForgetImagesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Scratch();
    const auto outcome = lethe({"run",       "smoke",
                                "--out",     (shared_->path() / "run").string(),
                                "--set",     "data.train_per_class=10",
                                "--set",     "data.test_per_class=10",
                                "--set",     "train.epochs=1",
                                "--set",     "requests=[]",
                                "--set",     "forget.margin=0.99",
                                "--set",     "forget.kept_fall=1",
                                "--set",     "forget.mean_fall=1",
                                "--threads", "1"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }
  ForgetImagesTest() {
    std::filesystem::copy(shared_->path() / "run", run_, std::filesystem::copy_options::recursive);
  }

  Outcome forget(const Arguments& more) const {
    Arguments all = {"forget", run_.string(), "--classes", "solid cross", "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return lethe(all);
  }

  static Scratch* shared_;
  Scratch scratch_;
  std::filesystem::path run_ = scratch_.path() / "run";
};

Scratch* ForgetImagesTest::shared_ = nullptr;

TEST_F(ForgetImagesTest, ImagesOfTheClassAreUsedOnlyIfTheOperatorSaysSoAndTheLedgerHasIt) {
  const Arguments data = {
      "--data", "shapes", "--set", "data.train_per_class=10", "--set", "data.test_per_class=10"};
  auto more = data;
  more.emplace_back("--dry-run");
  EXPECT_NE(forget(more).out.find("70 images of kept classes\n"), std::string::npos);
  more.emplace_back("--use-forgotten-images");
  EXPECT_NE(forget(more).out.find("10 images of the classes to forget"), std::string::npos);

  more = data;
  more.insert(more.end(), {"--use-forgotten-images", "--replay"});
  const auto outcome = forget(more);

  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const auto history = lethe({"history", run_.string()}).out;
  EXPECT_NE(history.find("used: images of the classes to forget"), std::string::npos) << history;
  const auto verified = lethe({"verify", run_.string()});
  EXPECT_EQ(verified.status, 0);
  // The method stored no code, so none can be made again.
  EXPECT_EQ(history.find("code)"), std::string::npos) << history;
  EXPECT_EQ(verified.out.find("can be made again"), std::string::npos) << verified.out;
}

TEST_F(ForgetImagesTest, UnlabelledImagesAreEnough) {
  for (int i = 0; i < 40; ++i)
    write_noise(scratch_.path() / "unlabelled" / "any" / (std::to_string(i) + ".png"), i, 32, 32);
  const Arguments data = {"--data", (scratch_.path() / "unlabelled").string()};
  auto more = data;
  more.emplace_back("--dry-run");
  const auto plan = forget(more);
  EXPECT_NE(plan.out.find("images of classes that the run does not know"), std::string::npos)
      << plan.out << plan.err;

  more = data;
  more.emplace_back("--replay");
  const auto outcome = forget(more);

  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("erased from the model: solid cross"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(lethe({"verify", run_.string()}).status, 0);
}

TEST_F(ForgetImagesTest, ImagesOfErasedClassesMayBeDeletedAlsoThoseOfACommand) {
  const auto folder = scratch_.path() / "later";
  for (int i = 0; i < 80; ++i)
    write_noise(folder / (i % 2 == 0 ? "boat" : "fish") / (std::to_string(i) + ".png"), i, 32, 32);
  const auto learned =
      lethe({"learn", run_.string(), "--data", folder.string(), "--epochs", "1", "--threads", "1"});
  ASSERT_EQ(learned.status, 0) << learned.err;
  expect_one_line_error(forget({"--data", folder.string(), "--use-forgotten-images"}), 2,
                        "has no image of solid cross");

  const Arguments data = {
      "--data", "shapes", "--set", "data.train_per_class=10", "--set", "data.test_per_class=10"};
  Arguments request = {"forget", run_.string(), "--classes", "boat,fish", "--threads", "1"};
  request.insert(request.end(), data.begin(), data.end());
  const auto outcome = lethe(request);
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  std::filesystem::remove_all(folder);

  const auto evaluated = lethe({"eval", run_.string()});
  EXPECT_EQ(evaluated.status, 0) << evaluated.out << evaluated.err;
  const auto next = forget(data);
  EXPECT_EQ(next.status, 0) << next.out << next.err;
}

}  // namespace
}  // namespace lethe::test
