#include "lethe/data/manifest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "lethe/core/error.h"
#include "lethe/core/sha256.h"
#include "lethe/data/data_files.h"
#include "tests/support/mask_files.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

// Three images in one folder per class.
class ManifestTest : public testing::Test {
 protected:
  ManifestTest() {
    write_flat(folder_.path() / "train/cats/1.png", 10);
    write_flat(folder_.path() / "train/dogs/2.png", 20);
    write_flat(folder_.path() / "test/cats/3.png", 30);
  }
  std::vector<DataFile> files() const {
    return data_files({.name = "image_folder", .root = folder_.path().string()});
  }
  Manifest make(const Manifest* known = nullptr) const { return make_manifest(files(), known, 2); }
  fs::path cat() const { return folder_.path() / "train/cats/1.png"; }

  TestFolder folder_;
};

ManifestEntry entry(const std::string& name) {
  return {.name = name, .split = "train", .bytes = 3, .modified_ns = 7, .sha256 = sha256(name)};
}

TEST_F(ManifestTest, HasSizeTimeAndHashOfEveryFile) {
  const auto manifest = make();

  ASSERT_EQ(manifest.entries().size(), 3);
  EXPECT_EQ(manifest.entries().front().name, "test/cats/3.png");
  const auto* found = manifest.find("train/cats/1.png");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->split, "train");
  EXPECT_EQ(found->classes, std::vector<std::string>{"cats"});
  EXPECT_EQ(found->bytes, static_cast<int64_t>(fs::file_size(cat())));
  EXPECT_EQ(found->sha256, sha256_of_file(cat()));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age =
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() - found->modified_ns;
  EXPECT_LT(age, int64_t{3600} * 1'000'000'000);  // counted from 1970
  EXPECT_EQ(manifest.find("train/cats/9.png"), nullptr);
}

TEST_F(ManifestTest, AKnownFileIsReadOnlyIfItsSizeOrTimeHasChanged) {
  const auto before = make();
  auto entries = before.entries();
  for (auto& known : entries) known.sha256 = sha256("not read");
  const Manifest known(entries);
  fs::last_write_time(cat(), fs::last_write_time(cat()) + std::chrono::seconds(1));

  const auto after = make(&known);

  EXPECT_EQ(after.find("train/dogs/2.png")->sha256, sha256("not read"));
  EXPECT_EQ(after.find("train/cats/1.png")->sha256, sha256_of_file(cat()));
}

TEST_F(ManifestTest, AMissingFileIsNamed) {
  const auto listed = files();
  fs::remove(cat());

  EXPECT_EQ(message_of<DataError>([&] { make_manifest(listed, nullptr, 1); }),
            cat().string() + ": no such file");
}

TEST_F(ManifestTest, TheRootDependsOnNamesSplitsAndContentOnly) {
  const auto root = make().root();
  fs::last_write_time(cat(), fs::last_write_time(cat()) + std::chrono::hours(1));
  auto reversed = make().entries();
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(Manifest(reversed).root(), root);
  EXPECT_EQ(root.size(), 64);

  const auto root_with = [&](auto edit) {
    auto entries = make().entries();
    edit(entries.front());
    return Manifest(entries).root();
  };
  EXPECT_NE(root_with([](ManifestEntry& e) { e.name += "x"; }), root);
  EXPECT_NE(root_with([](ManifestEntry& e) { e.split = "both"; }), root);
  EXPECT_NE(root_with([](ManifestEntry& e) { e.bytes += 1; }), root);
  EXPECT_NE(root_with([](ManifestEntry& e) { e.sha256 = sha256("x"); }), root);
  write_flat(cat(), 11);
  EXPECT_NE(make().root(), root);
}

TEST_F(ManifestTest, TextIsOneLinePerFileAndReadBackUnchanged) {
  const auto manifest = make();

  const auto text = manifest.to_text();

  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_TRUE(text.starts_with("{\"name\":\"test/cats/3.png\",\"split\":\"test\",")) << text;
  EXPECT_EQ(Manifest::parse(text, "files.jsonl"), manifest);
  EXPECT_EQ(Manifest::parse("", "files.jsonl"), Manifest());
}

TEST_F(ManifestTest, UnusualNamesSurviveTheText) {
  const Manifest manifest({entry("a \"b\"\n\t.png"), entry("caf\xc3\xa9.png")});

  EXPECT_EQ(Manifest::parse(manifest.to_text(), "files.jsonl"), manifest);
}

TEST_F(ManifestTest, MalformedTextIsRefusedWithItsLine) {
  const auto good = Manifest({entry("a")}).to_text();
  const auto refusal = [](const std::string& text) {
    return message_of<DataError>([&] { Manifest::parse(text, "files.jsonl"); });
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    auto text = good;
    return text.replace(text.find(from), from.size(), to);
  };

  EXPECT_TRUE(refusal(good + "{\"name\"").starts_with("files.jsonl:2: is not an entry"));
  EXPECT_TRUE(refusal("\n" + good).starts_with("files.jsonl:1: is not an entry"));
  EXPECT_TRUE(refusal("{}\n").starts_with("files.jsonl:1: is not an entry"));
  EXPECT_TRUE(refusal("[]\n").starts_with("files.jsonl:1: is not an entry"));
  EXPECT_EQ(refusal(good + good), "files.jsonl:2: a occurs twice");
  EXPECT_EQ(refusal(with("\"train\"", "\"val\"")),
            "files.jsonl:1: is not an entry of a manifest: split 'val' is unknown");
  EXPECT_EQ(refusal(with("\"bytes\":3", "\"bytes\":3.5")),
            "files.jsonl:1: is not an entry of a manifest: bytes is not an integer");
  EXPECT_EQ(refusal(with(sha256("a"), "abc")),
            "files.jsonl:1: is not an entry of a manifest: sha256 is not a SHA-256 in lower-case "
            "hex");
  EXPECT_THROW(Manifest({entry("a"), entry("a")}), Error);
}

TEST_F(ManifestTest, TheNumberOfThreadsDoesNotMatter) {
  const Miniature miniature;
  miniature.add_classes();
  const auto all = data_files({.name = "mask_folder", .root = miniature.root().string()});

  EXPECT_EQ(make_manifest(all, nullptr, 1), make_manifest(all, nullptr, 4));
}

}  // namespace
}  // namespace lethe
