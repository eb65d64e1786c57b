#include "lethe/trainer/checkpoint.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/sha256.h"
#include "lethe/model/torch.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class CheckpointTest : public testing::Test {
 protected:
  std::string write(const fs::path& folder, float value, int64_t task) const {
    return write_checkpoint(folder, {{"w", torch::full({3}, value)}}, {{"codes", torch::ones({2})}},
                            {{"momentum.w", torch::zeros({3})}}, [&](const std::string&) {
                              return json{{"task", task}};
                            });
  }
  std::string message_of(const fs::path& folder) const {
    try {
      read_checkpoint(folder);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }

  test::Scratch scratch_;
  fs::path run_ = scratch_.path();
};

TEST_F(CheckpointTest, AWrittenCheckpointCanBeRead) {
  const auto hash = write(version_folder(run_, 2, EventKind::kLearn), 1.5f, 2);

  const auto read = read_checkpoint(version_folder(run_, 2, EventKind::kLearn));

  EXPECT_TRUE(torch::equal(read.model.at("w"), torch::full({3}, 1.5f)));
  EXPECT_TRUE(torch::equal(read.method.at("codes"), torch::ones({2})));
  EXPECT_EQ(read.state.at("task"), 2);
  EXPECT_EQ(hash, sha256_of_file(version_folder(run_, 2, EventKind::kLearn) / "model.safetensors"));
  EXPECT_EQ(hash, model_hash(version_folder(run_, 2, EventKind::kLearn)));
}

TEST_F(CheckpointTest, TheSameContentGivesTheSameBytes) {
  write(run_ / kVersions / "a", 1, 1);
  write(run_ / kVersions / "b", 1, 1);

  EXPECT_EQ(read_text(run_ / kVersions / "a" / "SHA256SUMS"),
            read_text(run_ / kVersions / "b" / "SHA256SUMS"));
}

TEST_F(CheckpointTest, AChangedByteIsDetectedAndTheFileNamed) {
  const auto folder = version_folder(run_, 1, EventKind::kLearn);
  write(folder, 1, 1);
  {
    std::fstream file(folder / "model.safetensors",
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end);
    file.put('x');
  }

  EXPECT_NE(message_of(folder).find("model.safetensors: SHA-256 is"), std::string::npos)
      << message_of(folder);
}

TEST_F(CheckpointTest, AnUnknownFormatIsAnError) {
  const auto folder = version_folder(run_, 1, EventKind::kLearn);
  write(folder, 1, 1);
  auto state = json::parse(read_text(folder / "state.json"));
  state["format"] = 99;
  write_atomically(folder / "state.json", state.dump());
  std::string sums;
  for (const char* file :
       {"model.safetensors", "method.safetensors", "optimizer.safetensors", "state.json"}) {
    sums += sha256_of_file(folder / file) + "  " + file + "\n";
  }
  write_atomically(folder / "SHA256SUMS", sums);

  EXPECT_NE(message_of(folder).find("format 99 is not known"), std::string::npos)
      << message_of(folder);
}

TEST_F(CheckpointTest, AMissingFileIsDetected) {
  const auto folder = version_folder(run_, 1, EventKind::kLearn);
  write(folder, 1, 1);
  fs::remove(folder / "optimizer.safetensors");

  EXPECT_NE(message_of(folder).find("optimizer.safetensors"), std::string::npos);
}

TEST_F(CheckpointTest, AFailureWhileWritingKeepsTheOlderCheckpointAndLeavesNoTemporaryFolder) {
  write(partial_folder(run_), 1, 1);

  EXPECT_THROW(write_checkpoint(partial_folder(run_), {{"w", torch::ones({3})}}, {}, {},
                                [](const std::string&) -> json { throw Error("disk full"); }),
               Error);

  EXPECT_EQ(read_checkpoint(partial_folder(run_)).model.at("w")[0].item<float>(), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(run_ / kVersions), fs::directory_iterator()), 1);
}

TEST_F(CheckpointTest, TheNewestCheckpointIsAPartialOfALaterTaskOrTheLastTask) {
  EXPECT_FALSE(newest_checkpoint(run_).has_value());
  write(version_folder(run_, 1, EventKind::kLearn), 1, 1);
  EXPECT_EQ(newest_checkpoint(run_), version_folder(run_, 1, EventKind::kLearn));
  write(partial_folder(run_), 2, 2);
  EXPECT_EQ(newest_checkpoint(run_), partial_folder(run_));

  write(version_folder(run_, 2, EventKind::kLearn), 3,
        2);  // killed before the partial checkpoint was removed

  EXPECT_EQ(newest_checkpoint(run_), version_folder(run_, 2, EventKind::kLearn));
  EXPECT_FALSE(fs::exists(partial_folder(run_)));
}

TEST_F(CheckpointTest, TemporaryFoldersOfAKilledRunAreRemoved) {
  write(version_folder(run_, 1, EventKind::kLearn), 1, 1);
  fs::create_directories(run_ / kVersions / "002-learn.tmp-77");
  fs::create_directories(run_ / kVersions / "partial.tmp-78");

  EXPECT_EQ(newest_checkpoint(run_), version_folder(run_, 1, EventKind::kLearn));
  EXPECT_EQ(std::distance(fs::directory_iterator(run_ / kVersions), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace lethe
