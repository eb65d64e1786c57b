#include "lethe/core/sha256.h"

#include <gtest/gtest.h>

#include <fstream>

#include "lethe/core/error.h"

namespace lethe {
namespace {

// FIPS 180-4 examples.
TEST(Sha256Test, EqualsThePublishedExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, AFileHasTheHashOfItsBytes) {
  const auto path = std::filesystem::temp_directory_path() / "lethe_sha256_test";
  const std::string text(3 << 20, 'x');  // longer than the reading buffer
  std::ofstream(path) << text;

  EXPECT_EQ(sha256_of_file(path), sha256(text));
  std::filesystem::remove(path);
  EXPECT_THROW(sha256_of_file(path), DataError);
}

}  // namespace
}  // namespace lethe
