#include "lethe/core/safetensors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

// Every test has its own temporary folder.
class SafetensorsTest : public testing::Test {
 protected:
  fs::path path() const { return folder_ / "x.safetensors"; }

  void put(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
  }

  // Writes a file with the given header and count bytes of data.
  void put(const std::string& header, size_t count) const {
    const uint64_t length = header.size();
    std::string bytes(sizeof(length), '\0');
    std::memcpy(bytes.data(), &length, sizeof(length));
    put(bytes + header + std::string(count, '\1'));
  }

  // The message of the error that reading the file throws.
  std::string refusal() const {
    try {
      read_safetensors(path());
    } catch (const DataError& error) {
      return error.what();
    }
    return "(was read)";
  }

  test::Scratch scratch_;
  fs::path folder_ = scratch_.path();
};

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         (a.numel() == 0 || std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0);
}

TEST_F(SafetensorsTest, EveryTypeComesBackBitByBit) {
  const auto values = at::tensor({0.0, -0.0, 1.5, -3.25, 1e-5, 250.0}, at::kDouble).reshape({2, 3});
  StateDict state;
  for (const auto dtype : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble, at::kLong, at::kInt,
                           at::kByte, at::kBool}) {
    state[c10::toString(dtype)] = values.abs().to(dtype);
  }
  state["special"] =
      at::tensor({std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(),
                  std::numeric_limits<float>::denorm_min(), -0.0f});

  write_safetensors(path(), state);
  const auto read = read_safetensors(path());

  ASSERT_EQ(read.size(), state.size());
  for (const auto& [name, tensor] : state) EXPECT_TRUE(same_bits(read.at(name), tensor)) << name;
}

TEST_F(SafetensorsTest, ScalarAndEmptyTensorsKeepTheirShape) {
  write_safetensors(path(), {{"counter", at::scalar_tensor(7, at::kLong)},
                             {"nothing", at::empty({3, 0, 2})},
                             {"vector", at::ones({2})}});

  const auto read = read_safetensors(path());

  EXPECT_EQ(read.at("counter").dim(), 0);
  EXPECT_EQ(read.at("counter").item<int64_t>(), 7);
  EXPECT_EQ(read.at("nothing").sizes(), at::IntArrayRef({3, 0, 2}));
}

TEST_F(SafetensorsTest, AFileWithoutTensorsIsValid) {
  write_safetensors(path(), {});

  EXPECT_TRUE(read_safetensors(path()).empty());
}

TEST_F(SafetensorsTest, MetadataComesBack) {
  write_safetensors(path(), {{"a", at::ones({1})}}, {{"format", "lethe"}, {"odd \"key\"", "\n"}});

  const SafetensorsFile file(path());

  EXPECT_EQ(file.metadata(), (SafetensorsMetadata{{"format", "lethe"}, {"odd \"key\"", "\n"}}));
  EXPECT_EQ(file.entries().size(), 1u);
}

TEST_F(SafetensorsTest, BytesAreThoseOfTheFormat) {
  const auto bytes = safetensors_bytes({{"a", at::tensor({1, 2}, at::kByte)}});

  const std::string header = R"({"a":{"data_offsets":[0,2],"dtype":"U8","shape":[2]}})";
  ASSERT_EQ(header.size(), 53u);
  EXPECT_EQ(bytes, std::string("\x38\0\0\0\0\0\0\0", 8) + header + "   " + "\1\2");
}

TEST_F(SafetensorsTest, BytesDependOnValuesOnly) {
  const auto values = at::arange(24, at::kFloat).reshape({2, 3, 2, 2});
  const auto strided = values.clone(at::MemoryFormat::ChannelsLast).set_requires_grad(true);
  const auto part = at::cat({values, values}).slice(0, 0, 2);

  const auto bytes = safetensors_bytes({{"w", values}});

  EXPECT_EQ(safetensors_bytes({{"w", strided}}), bytes);
  EXPECT_EQ(safetensors_bytes({{"w", part}}), bytes);
}

TEST_F(SafetensorsTest, EveryTensorIsAlignedToItsElements) {
  write_safetensors(path(), {{"a", at::ones({3}, at::kByte)},
                             {"b", at::ones({3}, at::kDouble)},
                             {"c", at::ones({3}, at::kHalf)},
                             {"d", at::ones({1}, at::kFloat)}});

  const SafetensorsFile file(path());

  for (const auto& [name, entry] : file.entries()) {
    EXPECT_EQ(entry.begin % c10::elementSize(entry.dtype), 0u) << name;
  }
}

TEST_F(SafetensorsTest, WhatTheFormatCannotHoldIsRefusedBeforeWriting) {
  EXPECT_THROW(write_safetensors(path(), {{"a", at::Tensor()}}), Error);
  EXPECT_THROW(write_safetensors(path(), {{"a", at::ones({1}, at::kComplexFloat)}}), Error);
  EXPECT_THROW(write_safetensors(path(), {{"__metadata__", at::ones({1})}}), Error);
  EXPECT_THROW(write_safetensors(path(), {{"\xff", at::ones({1})}}), Error);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(SafetensorsTest, MissingFileAndFolderAreDataErrors) {
  EXPECT_NE(refusal().find("x.safetensors: cannot be opened"), std::string::npos) << refusal();
  fs::create_directory(path());
  EXPECT_NE(refusal().find("it is a folder"), std::string::npos) << refusal();
}

TEST_F(SafetensorsTest, EveryTruncationIsADataError) {
  const auto bytes = safetensors_bytes({{"a", at::ones({2, 3})}, {"b", at::ones({1}, at::kLong)}});
  for (size_t size = 0; size < bytes.size(); ++size) {
    put(bytes.substr(0, size));
    EXPECT_THROW(read_safetensors(path()), DataError) << size << " of " << bytes.size();
  }
  put(bytes + '\0');
  EXPECT_THROW(read_safetensors(path()), DataError) << "trailing byte";
}

struct BadHeader {
  const char* what;     // description of the file
  const char* header;   // header of a file with 8 bytes of data
  const char* message;  // expected part of the error message
};

TEST_F(SafetensorsTest, EveryFaultOfTheHeaderIsNamed) {
  const BadHeader faults[] = {
      {"not JSON", R"({"a":)", "not valid JSON"},
      {"not UTF-8", "{\"\xff\":1}", "not valid JSON"},
      {"two documents", "{}{}", "not valid JSON"},
      {"not an object", "[]", "must begin with '{'"},
      {"space in front", " {}", "must begin with '{'"},
      {"entry is a number", R"({"a":1})", "entry \"a\": must have dtype"},
      {"no offsets", R"({"a":{"dtype":"F32","shape":[2]}})", "must have dtype"},
      {"one offset", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", "two data_offsets"},
      {"more than known", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})",
       "nothing else"},
      {"dtype a number", R"({"a":{"dtype":1,"shape":[2],"data_offsets":[0,8]}})", "dtype"},
      {"unknown dtype", R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})",
       "entry \"a\": unknown dtype \"F8_E4M3\"; known: F16, BF16, F32"},
      {"negative size", R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "found -2"},
      {"broken size", R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", "found 2.0"},
      {"size above int64",
       R"({"a":{"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,8]}})",
       "integers >= 0"},
      {"product overflows to 8 bytes",
       R"({"a":{"dtype":"F64","shape":[4294967296,4294967296,1],"data_offsets":[0,8]}})",
       "too large"},
      {"overflow next to a zero",
       R"({"a":{"dtype":"U8","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}})",
       "too large"},
      {"offset behind the data", R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
       "data_offsets [0, 16] are not within the 8 bytes"},
      {"negative offset", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})",
       "integers >= 0"},
      {"end before begin", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
       "not within"},
      {"wrong size", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})",
       "F32 [3] needs 12 bytes, data_offsets [0, 8] give 8"},
      {"overlap",
       R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       "entry \"b\" overlaps"},
      {"gap",
       R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
       "2 bytes before entry \"b\" belong to no entry"},
      {"bytes left over", R"({"a":{"dtype":"U8","shape":[7],"data_offsets":[0,7]}})",
       "end at byte 7 of 8"},
      {"name twice",
       R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},)"
       R"("a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       "the name \"a\" occurs twice"},
      {"dtype twice", R"({"a":{"dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       "occurs twice"},
      {"nested shape", R"({"a":{"dtype":"U8","shape":[[8]],"data_offsets":[0,8]}})", "too deeply"},
      {"metadata a list",
       R"({"__metadata__":[],"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       "entry \"__metadata__\": must be an object of strings"},
      {"metadata not a string",
       R"({"__metadata__":{"k":1},"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})",
       "\"k\" must be a string"},
  };
  for (const auto& fault : faults) {
    put(fault.header, 8);
    const auto message = refusal();
    EXPECT_NE(message.find(path().string() + ": "), std::string::npos) << fault.what << message;
    EXPECT_NE(message.find(fault.message), std::string::npos) << fault.what << ": " << message;
  }
  put(R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})", 8);
  EXPECT_EQ(refusal(), "(was read)") << "the files above must be wrong for one reason only";
}

TEST_F(SafetensorsTest, AHeaderLengthBeyondTheFileIsADataError) {
  put(std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10));
  EXPECT_NE(refusal().find("header has 9223372036854775807 bytes, but 2 follow"), std::string::npos)
      << refusal();
}

TEST_F(SafetensorsTest, AHeaderOfAMillionBracketsIsADataError) {
  put(R"({"a":{"shape":)" + std::string(1'000'000, '['), 0);
  EXPECT_NE(refusal().find("too deeply"), std::string::npos);
}

TEST_F(SafetensorsTest, ABoolThatIsNeitherTrueNorFalseIsADataError) {
  auto bytes = safetensors_bytes({{"a", at::ones({3}, at::kBool)}});
  bytes.back() = '\2';
  put(bytes);

  EXPECT_NE(refusal().find("entry \"a\": a BOOL must be 0 or 1"), std::string::npos) << refusal();
}

// For every changed byte, the file is either read or rejected with a DataError.
TEST_F(SafetensorsTest, NoFlippedByteDoesHarm) {
  const auto good = safetensors_bytes(
      {{"a", at::ones({2, 1})}, {"b", at::ones({3}, at::kBool)}, {"c", at::empty({0})}},
      {{"k", "v"}});
  put(good);
  // In place: a new file for each of 3000 changes would take seconds.
  std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
  const auto poke = [&file](size_t at, char value) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(value).flush();
  };
  int refused = 0;
  int total = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    for (const char value : {'\0', '\xff', ' ', '"', '0', '9', '[', ',',
                             static_cast<char>(good[i] ^ 1), static_cast<char>(good[i] ^ 0x20)}) {
      if (value == good[i]) continue;
      poke(i, value);
      ++total;
      try {
        read_safetensors(path());
      } catch (const DataError&) {
        ++refused;
      }
    }
    poke(i, good[i]);
  }
  ASSERT_TRUE(file.good());
  EXPECT_EQ(read_text(path()), good) << "every change was undone";
  EXPECT_GT(refused, total / 2);
}

TEST_F(SafetensorsTest, ReadingAnUnknownEntryIsADataError) {
  write_safetensors(path(), {{"a", at::ones({1})}});
  SafetensorsFile file(path());

  EXPECT_THROW(file.read("b"), DataError);
  EXPECT_EQ(file.read("a").item<float>(), 1.0f);
}

}  // namespace
}  // namespace lethe
