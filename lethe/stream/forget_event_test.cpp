// The images and labels of an event that only forgets.
#include <gtest/gtest.h>

#include <algorithm>

#include "lethe/data/load_data.h"
#include "lethe/stream/task_plan.h"

namespace lethe {
namespace {

// Classes 0, 1 | 2, 3 are learned, then class 2 is forgotten with images.
class ForgetEventTest : public testing::TestWithParam<const char*> {
 protected:
  ForgetEventTest() {
    DataOptions options;
    options.name = GetParam();
    options.train_per_class = 10;
    options.test_per_class = 1;
    train_ = load_data(options).train;
    offset_ = train_->info().problem == Problem::kMasks ? 1 : 0;  // background
  }

  ClassId id(ClassId number) const { return number + offset_; }
  TaskPlan plan(bool forgotten_images) const {
    StreamOptions stream{.task_sizes = {2, 2}};
    stream.later = {{.kind = EventKind::kForget,
                     .classes = {train_->info().class_names.at(static_cast<size_t>(id(2)))},
                     .with_images = true,
                     .forgotten_images = forgotten_images}};
    return {stream, train_->info()};
  }
  // How many training images of the event show the class.
  int64_t showing(const TaskPlan& plan, ClassId id) const {
    int64_t count = 0;
    for (const auto sample : plan.train_samples(*train_, plan.tasks().back())) {
      const auto labels = train_->labels_of(sample);
      count += std::count(labels.begin(), labels.end(), id);
    }
    return count;
  }

  DatasetPtr train_;
  ClassId offset_ = 0;
};

TEST_P(ForgetEventTest, ImagesOfKeptClassesAreUsedAndNoneOfTheForgottenOne) {
  const auto made = plan(false);

  EXPECT_GT(showing(made, id(0)), 0);
  EXPECT_GT(showing(made, id(3)), 0);
  EXPECT_EQ(showing(made, id(2)), 0);
}

TEST_P(ForgetEventTest, ImagesOfTheForgottenClassAreUsedIfTheOperatorAllowsIt) {
  const auto made = plan(true);
  const auto label = made.train_labels(made.tasks().back()).at(static_cast<size_t>(id(2)));

  EXPECT_GT(showing(made, id(2)), 0);
  // Masks: the pixels are background. Images: the loss needs to know the class.
  EXPECT_EQ(label, train_->info().problem == Problem::kMasks ? 0 : id(2));
}

TEST_P(ForgetEventTest, APurgeHasTheClassesOfTheEventBeforeAndNeitherImagesNorRequests) {
  const auto& names = train_->info().class_names;
  const auto name = names.at(static_cast<size_t>(id(2)));
  StreamOptions stream{.task_sizes = {2, 2}};
  stream.later = {{.kind = EventKind::kForget, .classes = {name}},
                  {.kind = EventKind::kPurge, .classes = {name}}};
  const TaskPlan made(stream, train_->info());
  const auto& before = made.task(3);
  const auto& purge = made.task(4);

  EXPECT_EQ(purge.kind(), EventKind::kPurge);
  EXPECT_EQ(purge.purged, (ClassSet{id(2)}));
  EXPECT_EQ(purge.seen(), before.seen());
  EXPECT_EQ(purge.kept, before.kept);
  EXPECT_TRUE(purge.requests.empty());
  EXPECT_FALSE(purge.has_images());
}

INSTANTIATE_TEST_SUITE_P(On, ForgetEventTest, testing::Values("shapes", "shapes_seg"));

}  // namespace
}  // namespace lethe
