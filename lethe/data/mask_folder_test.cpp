#include "lethe/data/mask_folder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lethe/core/files.h"
#include "lethe/data/load_data.h"
#include "lethe/data/open_masks.h"
#include "lethe/data/options.h"
#include "tests/support/mask_files.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

class MaskFolderTest : public testing::Test {
 protected:
  MaskFolderTest() {
    set_.add_classes();
    options_.name = "mask_folder";
    options_.root = set_.root().string();
    options_.crop = 16;
  }
  std::string refusal() {
    return message_of<DataError>([&] { load_data(options_); });
  }
  fs::path mask(int number) const {
    return set_.root() / "SegmentationClass" / (std::to_string(number) + ".png");
  }

  Miniature set_;
  DataOptions options_;
};

TEST_F(MaskFolderTest, ARootAloneSuffices) {
  const auto splits = load_data(options_);

  const auto& info = splits.train->info();
  EXPECT_EQ(info.class_names, (std::vector<std::string>{"background", "ant", "bee", "cat", "dog"}));
  EXPECT_EQ(info.problem, Problem::kMasks);
  EXPECT_EQ(info.width, 16);
  ASSERT_EQ(splits.train->size(), 10);
  for (int64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(splits.train->labels_of(i), miniature_classes()[static_cast<size_t>(i)]);
    const auto sample = splits.train->get(i);
    EXPECT_TRUE(at::equal(sample.mask, mask_with(splits.train->labels_of(i))));
    EXPECT_EQ(sample.image.sizes(), (at::IntArrayRef{3, 8, 10}));
    EXPECT_FALSE(sample.saliency.defined());
  }
}

TEST_F(MaskFolderTest, TheClassesOfMasksAreRemembered) {
  load_data(options_);
  const auto bytes = fs::file_size(mask(0));
  const auto time = fs::last_write_time(mask(0));
  std::ofstream(mask(0)) << std::string(bytes, 'x');
  fs::last_write_time(mask(0), time);

  EXPECT_EQ(load_data(options_).train->labels_of(0), (std::vector<int64_t>{1}));
}

TEST_F(MaskFolderTest, AnUnknownIdIsNamedWithItsFile) {
  write_mask(mask(4), mask_with({3, 37}));

  EXPECT_EQ(refusal(), mask(4).string() +
                           ": id 37 is not a class: " + (set_.root() / "classes.txt").string() +
                           " has 5 classes, 0 to 4, and void is 255; 2 masks contain such an id");
}

TEST_F(MaskFolderTest, AnEmptyLineAmongTheClassesIsAnErrorAndAtTheEndIsNone) {
  const auto file = set_.root() / "classes.txt";
  const auto names = read_text(file);
  write_atomically(file, names + "\n\n");
  EXPECT_NO_THROW(load_data(options_));

  const auto first = names.find('\n') + 1;
  write_atomically(file, names.substr(0, first) + "\n" + names.substr(first));

  EXPECT_NE(refusal().find("classes.txt:2: is empty"), std::string::npos) << refusal();
}

TEST_F(MaskFolderTest, AMissingMaskOrImageIsNamed) {
  fs::remove(mask(4));
  EXPECT_NE(refusal().find("SegmentationClass/4.png: no such mask, but"), std::string::npos);
  fs::remove(set_.root() / "JPEGImages" / "2.jpg");
  EXPECT_NE(refusal().find("JPEGImages/2: no such image (.jpg, .png, "), std::string::npos);
  EXPECT_NE(refusal().find("2 files of 10 listed images are missing"), std::string::npos);
}

TEST_F(MaskFolderTest, ImagesThatStandTwiceOrAreTrainedAndTestedOnAreWarnedOf) {
  const auto lists = set_.root() / "ImageSets/Segmentation";
  const auto warnings = [&] { return warnings_of([&] { load_data(options_); }); };
  write_lines(lists / "train.txt", {"0", "1", "2", "3", "1", "1"});
  write_lines(lists / "val.txt", {"4", "5", "2", "6"});

  const auto found = warnings();
  EXPECT_NE(found.find("train.txt: 2 of 6 lines repeat an image, first 1.jpg"), std::string::npos)
      << found;
  EXPECT_NE(found.find("1 of 4 test images is also in the training images"), std::string::npos)
      << found;

  write_lines(lists / "train.txt", {"0", "1", "2", "3"});
  write_lines(lists / "val.txt", {"4", "5", "6"});
  const auto clean = warnings();
  EXPECT_EQ(clean.find("repeat"), std::string::npos) << clean;
  EXPECT_EQ(clean.find("also training images"), std::string::npos) << clean;
}

TEST_F(MaskFolderTest, AListMayNameImagesWithTheirEnding) {
  write_lines(set_.root() / "ImageSets/Segmentation/train.txt", {"0.jpg", "3"});

  const auto train = load_data(options_).train;

  ASSERT_EQ(train->size(), 2);
  EXPECT_EQ(train->labels_of(0), miniature_classes()[0]);
  EXPECT_EQ(train->labels_of(1), miniature_classes()[3]);

  for (const auto& [folder, file] :
       {std::pair("JPEGImages", "5.jpg"), {"SegmentationClass", "5.png"}}) {
    fs::create_directories(set_.root() / folder / "below");
    fs::copy(set_.root() / folder / file, set_.root() / folder / "below" / file);
  }
  write_lines(set_.root() / "ImageSets/Segmentation/train.txt", {"below/5.jpg", "below/5"});
  EXPECT_EQ(load_data(options_).train->labels_of(0), miniature_classes()[5]);
}

TEST_F(MaskFolderTest, AMissingPartOfTheLayoutNamesItsKey) {
  fs::remove(set_.root() / "classes.txt");
  EXPECT_NE(refusal().find("classes.txt: no such file or folder; data.classes names"),
            std::string::npos);
  set_.add_classes();
  fs::remove(set_.root() / "ImageSets/Segmentation/val.txt");
  EXPECT_NE(refusal().find("data.test_names"), std::string::npos) << refusal();
  fs::rename(set_.root() / "JPEGImages", set_.root() / "photos");
  EXPECT_NE(refusal().find("data.images"), std::string::npos);
}

TEST_F(MaskFolderTest, EveryPartOfTheLayoutIsAKey) {
  fs::rename(set_.root() / "JPEGImages", set_.root() / "photos");
  fs::rename(set_.root() / "SegmentationClass", set_.root() / "ids");
  fs::rename(set_.root() / "ImageSets/Segmentation/val.txt", set_.root() / "mine.txt");
  fs::rename(set_.root() / "classes.txt", set_.root() / "names");
  write_lines(set_.root() / "ImageSets/Segmentation/few.txt", {"0", "/photos/1.jpg /ids/1.png"});
  options_.folder = {.images = "photos",
                     .masks = "ids",
                     .train_names = "few",
                     .test_names = "mine.txt",
                     .classes = "names"};

  const auto splits = load_data(options_);

  EXPECT_EQ(splits.train->size(), 2);
  EXPECT_EQ(splits.train->labels_of(1), (std::vector<int64_t>{2}));
  EXPECT_EQ(splits.test->size(), 10);
}

TEST_F(MaskFolderTest, VoidMayHaveAnotherIdThatIsNoClass) {
  for (int i = 0; i < 10; ++i) {
    auto ids = mask_with(miniature_classes()[static_cast<size_t>(i)]);
    ids[0][0] = 99;
    write_mask(mask(i), ids);
  }
  options_.folder.void_id = 99;

  EXPECT_EQ(load_data(options_).train->get(0).mask[0][0].item<int>(), kVoid);
  options_.folder.void_id = 2;
  EXPECT_NE(message_of<ConfigError>([&] {
              load_data(options_);
            }).find("data.void = 2: is the id of 'bee'"),
            std::string::npos);
}

TEST_F(MaskFolderTest, ColouredMasksAreReadByATable) {
  for (int i = 0; i < 10; ++i) {
    write_png(mask(i), colour_labels(mask_with(miniature_classes()[static_cast<size_t>(i)])));
  }
  EXPECT_NE(refusal().find("data.mask_colours"), std::string::npos);
  std::vector<std::string> lines = {"224 224 192 void"};
  const std::vector<std::string> names = {"background", "ant", "bee", "cat", "dog"};
  for (int64_t id = 0; id < 5; ++id) {
    const auto [red, green, blue] = mask_colour(id);
    lines.push_back(fmt::format("{} {} {} {}", red, green, blue, names[static_cast<size_t>(id)]));
  }
  write_lines(set_.root() / "colours.txt", lines);
  options_.folder.colours = "colours.txt";

  const auto splits = load_data(options_);

  EXPECT_EQ(splits.train->labels_of(9), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(at::equal(splits.train->get(9).mask, mask_with({1, 2, 3, 4})));
}

TEST_F(MaskFolderTest, AMaskOfAnotherSizeThanItsImageIsNamed) {
  write_mask(mask(0), at::zeros({10, 8}, at::kByte));
  const auto splits = load_data(options_);

  const auto message = message_of<DataError>([&] { splits.train->get(0); });

  EXPECT_NE(message.find("0.png: is 8 x 10 (width x height), but its image "), std::string::npos);
  EXPECT_NE(message.find("0.jpg is 10 x 8"), std::string::npos) << message;
}

TEST_F(MaskFolderTest, AClassWithoutImagesGivesOneWarning) {
  write_lines(set_.root() / "classes.txt", {"background", "ant", "bee", "cat", "dog", "emu"});

  const auto warnings = warnings_of([&] { load_data(options_); });

  EXPECT_TRUE(warnings.ends_with("warning: no image contains emu\n")) << warnings;
  EXPECT_EQ(warnings.find("emu"), warnings.rfind("emu")) << warnings;
}

TEST_F(MaskFolderTest, UndecodableMasksAndImagesAreNamedOrLeftOut) {
  std::ofstream(mask(0)) << "no mask";
  std::ofstream(set_.root() / "JPEGImages" / "1.jpg") << "no image";
  EXPECT_NE(refusal().find("0.png: cannot be decoded: it is not a PNG; 2 of 20 masks"),
            std::string::npos)
      << refusal();
  options_.undecodable = "skip";

  DataSplits splits;
  const auto warnings = warnings_of([&] { splits = load_data(options_); });

  EXPECT_EQ(splits.train->size(), 8);
  EXPECT_EQ(splits.train->labels_of(0), (std::vector<int64_t>{1, 2}));
  EXPECT_NE(warnings.find("1 of 9 training images is skipped"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("2 of 20 masks are skipped"), std::string::npos) << warnings;
}

TEST_F(MaskFolderTest, SaliencyMapsComeWithTheSamples) {
  const auto folder = set_.root() / "saliency";
  fs::create_directories(folder);
  for (int i = 0; i < 10; ++i) {
    write_mask(folder / (std::to_string(i) + ".png"), at::full({8, 10}, i, at::kByte));
  }
  options_.folder.saliency = folder.string();

  const auto splits = load_data(options_);

  EXPECT_TRUE(splits.train->info().has_saliency);
  EXPECT_EQ(splits.train->get(7).saliency[3][3].item<int>(), 7);
  EXPECT_FALSE(splits.test->info().has_saliency);

  fs::remove(folder / "5.png");
  write_lines(set_.root() / "ImageSets/Segmentation/train.txt", {"0", "1"});
  EXPECT_NO_THROW(load_data(options_)) << "5 is tested on only";
  write_lines(set_.root() / "ImageSets/Segmentation/train.txt", {"0", "5"});
  EXPECT_NE(refusal().find("saliency/5.png: no such saliency map"), std::string::npos);
}

TEST_F(MaskFolderTest, TheFirstOfEveryClassAreImagesThatShowIt) {
  options_.train_per_class = 1;

  const auto splits = load_data(options_);

  // The first images of classes 1, 2, 3 and 4 are images 0, 1, 3 and 5.
  ASSERT_EQ(splits.train->size(), 4);
  EXPECT_EQ(splits.train->labels_of(2), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(splits.train->labels_of(3), (std::vector<int64_t>{3, 4}));
}

TEST_F(MaskFolderTest, APartCanBeHeldOut) {
  options_.val_fraction = 0.3;

  const auto splits = load_data(options_);

  EXPECT_EQ(splits.train->size() + splits.val->size(), 10);
  EXPECT_TRUE(splits.val->get(0).mask.defined());
}

TEST(VocTest, ReadsTheOfficialLayoutFromAnyFolderAboveIt) {
  const Miniature set("SegmentationClassAug", "train_aug");
  DataOptions options;
  options.name = "voc2012";
  options.root = set.root().string();

  const auto splits = load_data(options);

  EXPECT_EQ(splits.train->size(), 10);
  EXPECT_EQ(splits.train->info().class_names.size(), 21U);
  EXPECT_EQ(splits.train->info().class_names[20], "tvmonitor");
  EXPECT_EQ(splits.train->info().width, 512);
  fs::create_directories(set.root().parent_path() / "VOCdevkit");
  fs::rename(set.root(), set.root().parent_path() / "VOCdevkit" / "VOC2012");
  for (const char* above : {"", "VOCdevkit", "VOCdevkit/VOC2012"}) {
    options.root = (set.root().parent_path() / above).string();
    EXPECT_EQ(load_data(options).test->size(), 10);
  }
}

TEST(VocTest, WithoutTheAugmentedMasksThePlainOnesAreRead) {
  const Miniature set;
  DataOptions options;
  options.name = "voc2012";
  options.root = set.root().string();
  write_lines(set.root() / "ImageSets/Segmentation/train_aug.txt", {"0", "not there"});

  EXPECT_EQ(load_data(options).train->size(), 10);
  options.folder.train_names = "train_aug";
  EXPECT_NE(
      message_of<DataError>([&] { load_data(options); }).find("not there: no such image (.jpg"),
      std::string::npos);
}

TEST(VocTest, ARootIsNeeded) {
  DataOptions options;
  options.name = "voc2012";
  EXPECT_THROW(load_data(options), ConfigError);
  const TestFolder empty;
  options.root = empty.path().string();
  EXPECT_NE(message_of<DataError>([&] { load_data(options); }).find("ImageSets/Segmentation"),
            std::string::npos);
}

TEST(VocTest, ReadsTheSharedSubset) {
  const auto folder = shared_data("VOCdevkit");
  if (folder.empty()) GTEST_SKIP() << no_shared_data("VOCdevkit");
  const TestFolder cache;
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  DataOptions options;
  options.name = "voc2012";
  options.root = folder.string();
  const auto splits = load_data(options);
  int64_t dogs = 0;
  for (int64_t i = 0; i < splits.train->size(); ++i) {
    const auto labels = splits.train->labels_of(i);
    dogs += std::count(labels.begin(), labels.end(), 12);
  }

  EXPECT_EQ(splits.train->size(), 1460);
  EXPECT_EQ(splits.test->size(), 319);
  EXPECT_EQ(dogs, 432);
  const auto sample = splits.train->get(0);
  EXPECT_EQ(sample.mask.size(0), sample.image.size(1));
}

}  // namespace
}  // namespace lethe
