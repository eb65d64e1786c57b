#include "lethe/model/weight_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lethe/core/error.h"
#include "lethe/core/safetensors.h"
#include "lethe/model/torch.h"
#include "tests/support/data_files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

fs::path testdata(const std::string& name) {
  return fs::path(LETHE_SOURCE_DIR) / "lethe/model/testdata" / name;
}

std::string refusal(const fs::path& path) {
  return message_of<DataError>([&] { read_weights(path); });
}

TEST(WeightFileTest, TheContentDecidesNotTheName) {
  const test::Scratch scratch;
  fs::copy_file(testdata("plain.pth"), scratch / "a.safetensors");
  write_safetensors(scratch / "b.pth", {{"x", torch::ones({2})}});

  EXPECT_EQ(read_weights(scratch / "a.safetensors").size(), 6u);
  EXPECT_TRUE(torch::equal(read_weights(scratch / "b.pth").at("x"), torch::ones({2})));
}

// A safetensors file whose header length starts with the same bytes as an old pickle: 640 = 0x280.
TEST(WeightFileTest, AHeaderOf640BytesIsNotTakenForAPickle) {
  const test::Scratch scratch;
  for (size_t length = 500; length < 640; ++length) {
    const auto bytes = safetensors_bytes({{std::string(length, 'x'), torch::ones({1})}});
    if (bytes[0] != '\x80' || bytes[1] != '\2') continue;
    std::ofstream(scratch / "w", std::ios::binary) << bytes;

    EXPECT_EQ(read_weights(scratch / "w").size(), 1u);
    return;
  }
  FAIL() << "no name of this length gives the header";
}

TEST(WeightFileTest, OldFormatsGiveAnErrorWithAConversionCommand) {
  const test::Scratch scratch;
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  std::ofstream(scratch / "old.tar", std::ios::binary) << tar;

  const std::string expected =
      ": is in PyTorch's old format (not zip); convert it: python3 -c \"import torch; "
      "torch.save(torch.load('old.pth', map_location='cpu'), 'new.pth')\"";
  EXPECT_EQ(refusal(testdata("legacy.pth")), testdata("legacy.pth").string() + expected);
  EXPECT_EQ(refusal(scratch / "old.tar"), scratch / "old.tar" + expected);
}

TEST(WeightFileTest, OtherFilesAreAnError) {
  const test::Scratch scratch;
  std::ofstream(scratch / "page.pth") << "<!DOCTYPE html><html>not found</html>";
  std::ofstream(scratch / "empty.pth").flush();

  const std::string expected = ": is neither a safetensors file nor a PyTorch checkpoint";
  EXPECT_EQ(refusal(scratch / "page.pth"), scratch / "page.pth" + expected);
  EXPECT_EQ(refusal(scratch / "empty.pth"), scratch / "empty.pth" + expected);
  EXPECT_EQ(refusal(scratch / "none.pth"),
            scratch / "none.pth" + ": cannot be opened: No such file or directory");
  EXPECT_EQ(refusal(scratch.path()), scratch.path().string() + ": is a folder, not a weight file");
}

}  // namespace
}  // namespace lethe
