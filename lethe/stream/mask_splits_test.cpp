// The segmentation images that a task trains on and is evaluated on, compared with known counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "lethe/core/files.h"
#include "lethe/data/load_data.h"
#include "lethe/data/options.h"
#include "lethe/data/shapes_seg.h"
#include "lethe/stream/task_plan.h"
#include "tests/support/mask_files.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

using Counts = std::vector<int64_t>;

TaskPlan plan_of(const std::vector<int64_t>& sizes, DatasetInfo info, SegSetup setup) {
  info.mask_rules.setup = setup;
  return {StreamOptions{.task_sizes = sizes}, info};
}

Counts training_images(const Dataset& dataset, const std::vector<int64_t>& sizes, SegSetup setup) {
  const auto plan = plan_of(sizes, dataset.info(), setup);
  Counts counts;
  for (const auto& task : plan.tasks()) {
    counts.push_back(static_cast<int64_t>(plan.train_samples(dataset, task).size()));
  }
  return counts;
}

Counts test_images(const Dataset& dataset, const std::vector<int64_t>& sizes) {
  const auto plan = plan_of(sizes, dataset.info(), SegSetup::kOverlapped);
  Counts counts;
  for (const auto& task : plan.tasks()) {
    counts.push_back(static_cast<int64_t>(plan.eval_samples(dataset, task).size()));
  }
  return counts;
}

TEST(MaskSplitTest, ImagesThatShowAnAbsentClassAreLeftOutUnlessTheyMayShowIt) {
  Miniature files;
  files.add_classes();
  DataOptions options;
  options.name = "mask_folder";
  options.root = files.root().string();
  options.crop = 16;
  const auto set = load_data(options).train;
  StreamOptions stream{.task_sizes = {2, 2}};
  stream.absent = {2};

  const TaskPlan hidden(stream, set->info());
  stream.absent_shown = true;
  const TaskPlan shown(stream, set->info());

  const auto images = hidden.train_samples(*set, hidden.task(1));
  const auto all = shown.train_samples(*set, shown.task(1));
  EXPECT_EQ(all, shown.samples_with(*set, {1}));
  EXPECT_LT(images.size(), all.size());
  for (const auto sample : images) {
    const auto labels = set->labels_of(sample);
    EXPECT_EQ(std::count(labels.begin(), labels.end(), 2), 0) << sample;
  }
  // Its pixels are background.
  EXPECT_EQ(shown.train_labels(shown.task(1)).at(2), 0);
  EXPECT_EQ(shown.train_labels(shown.task(1)).at(1), 1);
}

TEST(MaskSplitTest, TheMiniatureHasItsKnownCountsInEverySetup) {
  Miniature files;
  files.add_classes();
  DataOptions options;
  options.name = "mask_folder";
  options.root = files.root().string();
  options.crop = 16;
  const auto set = load_data(options).train;

  EXPECT_EQ(training_images(*set, {2, 2}, SegSetup::kOverlapped), (Counts{6, 6}));
  EXPECT_EQ(training_images(*set, {2, 2}, SegSetup::kDisjoint), (Counts{3, 6}));
  EXPECT_EQ(training_images(*set, {2, 2}, SegSetup::kSequential), (Counts{3, 6}));
  EXPECT_EQ(training_images(*set, {2, 1, 1}, SegSetup::kOverlapped), (Counts{6, 4, 4}));
  EXPECT_EQ(training_images(*set, {2, 1, 1}, SegSetup::kDisjoint), (Counts{3, 2, 4}));
  EXPECT_EQ(test_images(*set, {2, 1, 1}), (Counts{6, 8, 9}));
}

// A dataset without images: only the classes of each image, from lists "name id id ...".
class ClassLists : public Dataset {
 public:
  explicit ClassLists(const fs::path& file) {
    info_.problem = Problem::kMasks;
    for (int i = 0; i <= 20; ++i) info_.class_names.push_back(std::to_string(i));
    std::istringstream text(read_text(file));
    for (std::string line; std::getline(text, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      labels_.emplace_back();
      for (int64_t id = 0; words >> id;) labels_.back().push_back(id);
    }
  }
  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  Sample get(int64_t) const override { return {}; }
  std::vector<int64_t> labels_of(int64_t index) const override {
    return labels_[static_cast<size_t>(index)];
  }

 private:
  DatasetInfo info_;
  std::vector<std::vector<int64_t>> labels_;
};

// The counts of specification 2.3, for the complete splits.
TEST(MaskSplitTest, TheTasksHaveTheCountsOfTheReference) {
  const auto folder = shared_data("voc_classes");
  if (folder.empty()) GTEST_SKIP() << no_shared_data("voc_classes");
  const ClassLists train(folder / "train_aug.txt");
  const ClassLists val(folder / "val.txt");
  const Counts one = {19, 1};
  const Counts five = {15, 5};
  const Counts steps = {15, 1, 1, 1, 1, 1};

  EXPECT_EQ(train.size(), 10582);
  EXPECT_EQ(training_images(train, one, SegSetup::kOverlapped), (Counts{10410, 548}));
  EXPECT_EQ(training_images(train, one, SegSetup::kDisjoint), (Counts{10034, 548}));
  EXPECT_EQ(training_images(train, five, SegSetup::kOverlapped), (Counts{9568, 2145}));
  EXPECT_EQ(training_images(train, five, SegSetup::kDisjoint), (Counts{8437, 2145}));
  EXPECT_EQ(training_images(train, steps, SegSetup::kOverlapped),
            (Counts{9568, 487, 299, 491, 500, 548}));
  EXPECT_EQ(training_images(train, steps, SegSetup::kDisjoint),
            (Counts{8437, 378, 299, 420, 500, 548}));
  EXPECT_EQ(training_images(train, steps, SegSetup::kSequential),
            training_images(train, steps, SegSetup::kDisjoint));
  EXPECT_EQ(test_images(val, one), (Counts{1421, 1449}));
  EXPECT_EQ(test_images(val, five), (Counts{1240, 1449}));
  EXPECT_EQ(test_images(val, steps), (Counts{1240, 1277, 1329, 1353, 1421, 1449}));
}

// A later task needs images of old classes; otherwise it could not forget them.
TEST(MaskSplitTest, ThirtyPercentOfLaterImagesShowAnOldClass) {
  const auto train = make_shapes_seg().train;
  const std::vector<std::vector<int64_t>> streams = {{19, 1}, {15, 5}, {15, 1, 1, 1, 1, 1}};
  for (const auto& sizes : streams) {
    const TaskPlan plan({.task_sizes = sizes}, train->info());
    for (const auto& task : plan.tasks()) {
      if (task.number == 1) continue;
      const auto samples = plan.train_samples(*train, task);
      const auto old = plan.samples_with(*train, task.kept - ClassSet{0});
      std::vector<int64_t> both;
      std::set_intersection(samples.begin(), samples.end(), old.begin(), old.end(),
                            std::back_inserter(both));

      EXPECT_GE(samples.size(), 150U);
      EXPECT_GE(static_cast<double>(both.size()), 0.3 * static_cast<double>(samples.size()));
    }
  }
}

}  // namespace
}  // namespace lethe
