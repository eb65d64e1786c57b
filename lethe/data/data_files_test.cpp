#include "lethe/data/data_files.h"

#include <gtest/gtest.h>

#include <map>

#include "lethe/core/error.h"
#include "lethe/data/prepare.h"
#include "tests/support/cars_files.h"
#include "tests/support/mask_files.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using Splits = std::map<std::string, std::string>;  // by name

Splits splits_of(const std::vector<DataFile>& files) {
  Splits splits;
  for (const auto& file : files) splits[file.name] = file.split;
  EXPECT_EQ(splits.size(), files.size());
  return splits;
}

const DataFile& find(const std::vector<DataFile>& files, const std::string& name) {
  for (const auto& file : files) {
    if (file.name == name) return file;
  }
  ADD_FAILURE() << name << " is not listed";
  return files.front();
}

// The files of a dataset in this folder.
std::vector<DataFile> files_in(const TestFolder& folder, const std::string& dataset) {
  return data_files({.name = dataset, .root = folder.path().string()});
}

void write_all(const TestFolder& folder, const Names& names) {
  for (const auto& name : names) folder.write(name, {1});
}

TEST(ManifestDataFilesTest, ImagesOfAFolderAreNamedRelativeToItWithSplitAndClass) {
  const TestFolder folder;
  write_all(folder, {"train/cat/1.png", "train/big dog/1.png", "test/cat/2.png"});

  const auto files = files_in(folder, "image_folder");

  EXPECT_EQ(splits_of(files), (Splits{{"train/cat/1.png", "train"},
                                      {"train/big dog/1.png", "train"},
                                      {"test/cat/2.png", "test"}}));
  EXPECT_EQ(files.front().name, "test/cat/2.png");
  EXPECT_EQ(files.front().path, folder.path() / "test/cat/2.png");
  EXPECT_EQ(find(files, "train/big dog/1.png").classes, Names{"big dog"});
}

TEST(ManifestDataFilesTest, ListsAndImagesOutsideTheRootAreListedToo) {
  const TestFolder folder;
  const TestFolder elsewhere;
  const auto outside = elsewhere.write("b.png", {1}).string();
  write_all(folder, {"a.png"});
  folder.write("train.txt", to_bytes("a.png cat\n" + outside + " dog\n"));
  folder.write("test.txt", to_bytes("a.png dog\n"));

  auto files = files_in(folder, "image_list");
  EXPECT_EQ(
      splits_of(files),
      (Splits{
          {"a.png", "both"}, {outside, "train"}, {"train.txt", "train"}, {"test.txt", "test"}}));
  EXPECT_EQ(find(files, "a.png").classes, (Names{"cat", "dog"}));
  EXPECT_EQ(find(files, "train.txt").classes, Names{});

  folder.write("classes.txt", to_bytes("dog\ncat\n"));
  files = data_files({.name = "image_list", .root = folder.path().string(), .test_list = ""});
  EXPECT_EQ(splits_of(files).at("train.txt"), "both");  // test images are held out of it
  EXPECT_EQ(splits_of(files).at("classes.txt"), "both");
}

TEST(ManifestDataFilesTest, AMaskFolderHasImagesMasksSaliencyMapsAndLists) {
  const Miniature miniature;
  miniature.add_classes();
  const auto maps = miniature.root() / "maps";
  for (int i = 0; i < 10; ++i) {
    fs::create_directories(maps);
    write_mask(maps / (std::to_string(i) + ".png"), mask_with({}));
  }

  const auto files = data_files({.name = "mask_folder",
                                 .root = miniature.root().string(),
                                 .folder = {.saliency = maps.string()}});

  ASSERT_EQ(files.size(), 33);
  const auto splits = splits_of(files);
  EXPECT_EQ(splits.at("classes.txt"), "both");
  EXPECT_EQ(splits.at("ImageSets/Segmentation/train.txt"), "train");
  EXPECT_EQ(splits.at("ImageSets/Segmentation/val.txt"), "test");
  EXPECT_EQ(splits.at("JPEGImages/3.jpg"), "both");
  EXPECT_EQ(splits.at("SegmentationClass/3.png"), "both");
  EXPECT_EQ(splits.at("maps/3.png"), "train");
  EXPECT_EQ(find(files, "JPEGImages/3.jpg").classes, (Names{"ant", "cat"}));
  EXPECT_EQ(find(files, "SegmentationClass/3.png").classes, (Names{"ant", "cat"}));
  EXPECT_EQ(find(files, "SegmentationClass/8.png").classes, Names{"background"});
}

TEST(ManifestDataFilesTest, AMaskThatCannotBeDecodedIsListedWithUnknownClasses) {
  const Miniature miniature("SegmentationClassAug", "train_aug");
  std::ofstream(miniature.root() / "SegmentationClassAug/3.png") << "damaged";

  const auto files = data_files({.name = "voc2012", .root = miniature.root().string()});

  ASSERT_EQ(files.size(), 22);
  EXPECT_EQ(find(files, "SegmentationClassAug/3.png").classes, Names{});
  EXPECT_EQ(find(files, "SegmentationClassAug/4.png").classes, Names{"bird"});
  EXPECT_EQ(find(files, "ImageSets/Segmentation/train_aug.txt").split, "train");
}

TEST(ManifestDataFilesTest, TheBinaryFilesOfCifarAreFoundInBothVersions) {
  const TestFolder folder;
  write_all(folder, {"cifar-100-python/train", "cifar-100-python/test", "cifar-100-python/meta"});
  EXPECT_EQ(splits_of(files_in(folder, "cifar100")), (Splits{{"cifar-100-python/train", "train"},
                                                             {"cifar-100-python/test", "test"},
                                                             {"cifar-100-python/meta", "both"}}));

  write_all(folder, {"train.bin", "test.bin"});
  EXPECT_EQ(splits_of(files_in(folder, "cifar100")),
            (Splits{{"train.bin", "train"}, {"test.bin", "test"}}));

  write_all(folder, {"data_batch_1.bin", "batches.meta.txt"});
  EXPECT_EQ(files_in(folder, "cifar10").size(), 7);
}

TEST(ManifestDataFilesTest, FashionMnistHasFourFiles) {
  const TestFolder folder;
  write_all(folder, {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte",
                     "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"});

  EXPECT_EQ(splits_of(files_in(folder, "fashion_mnist")),
            (Splits{{"train-images-idx3-ubyte.gz", "train"},
                    {"train-labels-idx1-ubyte", "train"},
                    {"t10k-images-idx3-ubyte", "test"},
                    {"t10k-labels-idx1-ubyte", "test"}}));
}

TEST(ManifestDataFilesTest, TheListsOfCubAndCarsAreListed) {
  const TestFolder cub;
  write_all(cub, {"images/a/x.jpg"});
  cub.write("classes.txt", to_bytes("1 a\n"));
  cub.write("images.txt", to_bytes("1 a/x.jpg\n"));
  cub.write("image_class_labels.txt", to_bytes("1 1\n"));
  cub.write("train_test_split.txt", to_bytes("1 0\n"));
  EXPECT_EQ(splits_of(files_in(cub, "cub200")), (Splits{{"images/a/x.jpg", "test"},
                                                        {"classes.txt", "both"},
                                                        {"images.txt", "both"},
                                                        {"image_class_labels.txt", "both"},
                                                        {"train_test_split.txt", "both"}}));

  const TestFolder cars;
  write_all(cars, {"cars_train/1.jpg"});
  write_class_names(cars.path() / "devkit/cars_meta.mat", {"a"});
  write_annotations(cars.path() / "devkit/cars_train_annos.mat", {{"1.jpg", 1}});
  std::vector<DataFile> files;
  EXPECT_EQ(warnings_of([&] { files = files_in(cars, "cars"); }), "");  // load_data() warns
  EXPECT_EQ(splits_of(files), (Splits{{"cars_train/1.jpg", "train"},
                                      {"devkit/cars_meta.mat", "both"},
                                      {"devkit/cars_train_annos.mat", "both"}}));
}

TEST(ManifestDataFilesTest, APreparedDatasetIsItsFolder) {
  const TestFolder folder;
  for (const auto* name : {"train/a/1.png", "test/a/2.png"}) write_flat(folder.path() / name, 5);
  DataOptions options = {.name = "image_folder", .root = folder.path().string(), .size = 8};
  options.prepared = (folder.path() / "ready").string();
  prepare_images(options, options.prepared, {});

  const auto files = data_files(options);

  EXPECT_EQ(splits_of(files), (Splits{{"index.json", "both"},
                                      {"SHA256SUMS", "both"},
                                      {"train.bin", "train"},
                                      {"test.bin", "test"}}));
  for (const auto& file : files) EXPECT_TRUE(fs::is_regular_file(file.path)) << file.path;
}

TEST(ManifestDataFilesTest, OnlyGeneratedDatasetsHaveNoFiles) {
  EXPECT_TRUE(data_files({.name = "shapes"}).empty());
  EXPECT_TRUE(data_files({.name = "shapes_seg"}).empty());
  for (const auto& entry : builtin_datasets()) {
    const bool is_listed = entry.list || entry.list_masks || entry.files;
    EXPECT_EQ(is_listed, !entry.root_help.empty()) << entry.name;
  }
}

TEST(ManifestDataFilesTest, NamesThatAreNotUtf8AreEscaped) {
  const TestFolder folder;
  write_all(folder, {"train/caf\xe9/1.png", "train/tee/\xc3\xa9.png", "test/tee/2.png"});

  const auto files = files_in(folder, "image_folder");

  EXPECT_EQ(find(files, "train/caf\\xe9/1.png").classes, Names{"caf\\xe9"});
  EXPECT_EQ(find(files, "train/tee/\xc3\xa9.png").split, "train");
}

}  // namespace
}  // namespace lethe
