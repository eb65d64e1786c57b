#include "lethe/data/manifest_changes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "lethe/data/data_files.h"
#include "tests/support/mask_files.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;
using Kind = ManifestChange::Kind;
using Names = std::vector<std::string>;

Names described(const std::vector<ManifestChange>& found) {
  Names lines;
  for (const auto& change : found) lines.push_back(describe(change));
  return lines;
}

// Changes one byte in the middle of a file and sets the modification time.
void edit(const fs::path& path, fs::file_time_type time) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto place = static_cast<std::streamoff>(fs::file_size(path) / 2);
  file.seekg(place);
  const char old = static_cast<char>(file.get());
  file.seekp(place);
  file.put(static_cast<char>(old ^ 1));
  file.close();
  fs::last_write_time(path, time);
}

// Three images of cats and one of a dog, recorded.
class ManifestChangesTest : public testing::Test {
 protected:
  ManifestChangesTest() {
    for (const auto* name :
         {"train/cats/1.png", "train/cats/2.png", "train/dogs/3.png", "test/cats/4.png"}) {
      write_flat(path(name), 10);
    }
    recorded_ = make_manifest(files(), nullptr, 1);
  }
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  std::vector<DataFile> files() const {
    return data_files({.name = "image_folder", .root = folder_.path().string()});
  }
  std::vector<ManifestChange> find(Trust trust = Trust::kSizeAndTime) const {
    return changes(recorded_, files(), 2, trust);
  }
  fs::file_time_type later(const std::string& name) const {
    return fs::last_write_time(path(name)) + std::chrono::seconds(1);
  }

  TestFolder folder_;
  Manifest recorded_;
};

TEST_F(ManifestChangesTest, UnchangedFilesAreNotReported) {
  EXPECT_EQ(find(), std::vector<ManifestChange>{});
  EXPECT_EQ(find(Trust::kNothing), std::vector<ManifestChange>{});
}

TEST_F(ManifestChangesTest, AnEditOfOneByteIsFoundByTheTimeOfTheFile) {
  edit(path("train/cats/2.png"), later("train/cats/2.png"));

  EXPECT_EQ(find(), (std::vector<ManifestChange>{{.kind = Kind::kChanged,
                                                  .name = "train/cats/2.png",
                                                  .split = "train",
                                                  .classes = {"cats"}}}));
}

TEST_F(ManifestChangesTest, AnEditThatRestoresTheTimeIsFoundOnlyWithoutTrust) {
  edit(path("train/cats/2.png"), fs::last_write_time(path("train/cats/2.png")));

  EXPECT_EQ(described(find()), Names{});
  EXPECT_EQ(described(find(Trust::kNothing)), Names{"train/cats/2.png was changed"});
}

TEST_F(ManifestChangesTest, AnotherSizeIsAChangeEvenWithTheOldTime) {
  const auto time = fs::last_write_time(path("train/cats/2.png"));
  std::ofstream(path("train/cats/2.png"), std::ios::app) << "x";
  fs::last_write_time(path("train/cats/2.png"), time);

  EXPECT_EQ(described(find()), Names{"train/cats/2.png was changed"});
}

TEST_F(ManifestChangesTest, AnotherTimeAloneIsNoChange) {
  fs::last_write_time(path("train/cats/2.png"), later("train/cats/2.png"));

  EXPECT_EQ(described(find()), Names{});
}

TEST_F(ManifestChangesTest, MissingAndAddedFilesAreNamedInOrder) {
  fs::remove(path("train/dogs/3.png"));
  write_flat(path("train/birds/5.png"), 10);

  const auto found = find();

  EXPECT_EQ(described(found),
            (Names{"train/birds/5.png was added", "train/dogs/3.png is missing"}));
  EXPECT_EQ(found[0].classes, Names{"birds"});
  EXPECT_EQ(found[1].classes, Names{"dogs"});
  EXPECT_EQ(found[1].split, "train");
}

TEST_F(ManifestChangesTest, AListedFileThatDoesNotExistIsMissing) {
  const auto listed = files();
  fs::remove(path("train/dogs/3.png"));

  EXPECT_EQ(described(changes(recorded_, listed, 1)), Names{"train/dogs/3.png is missing"});
}

TEST_F(ManifestChangesTest, AFileOfAnotherSplitIsReported) {
  auto now = files();
  for (auto& file : now) {
    if (file.name == "train/cats/1.png") file.split = "test";
  }

  const auto found = changes(recorded_, now, 1);

  EXPECT_EQ(described(found), Names{"train/cats/1.png was moved to another split"});
  EXPECT_EQ(found[0].split, "both");
}

TEST_F(ManifestChangesTest, ChangesAreEmptyExactlyIfTheRootsAreEqual) {
  const auto root = [&] { return make_manifest(files(), nullptr, 1).root(); };
  EXPECT_EQ(root(), recorded_.root());

  edit(path("test/cats/4.png"), later("test/cats/4.png"));

  EXPECT_NE(root(), recorded_.root());
  EXPECT_EQ(described(find()), Names{"test/cats/4.png was changed"});
}

TEST_F(ManifestChangesTest, AChangedMaskAffectsTheClassesOfBothVersions) {
  const Miniature miniature;
  miniature.add_classes();
  const DataOptions options = {.name = "mask_folder", .root = miniature.root().string()};
  const auto before = make_manifest(data_files(options), nullptr, 1);
  const auto mask = miniature.root() / "SegmentationClass/0.png";  // ant
  const auto time = fs::last_write_time(mask) + std::chrono::seconds(1);
  write_mask(mask, mask_with({4}));
  fs::last_write_time(mask, time);

  const auto found = changes(before, data_files(options), 1);

  EXPECT_EQ(found, (std::vector<ManifestChange>{{.kind = Kind::kChanged,
                                                 .name = "SegmentationClass/0.png",
                                                 .split = "both",
                                                 .classes = {"ant", "dog"}}}));
}

}  // namespace
}  // namespace lethe
