#include "lethe/model/pth.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/safetensors.h"
#include "lethe/core/shell.h"
#include "lethe/model/torch.h"
#include "tests/support/scratch.h"
#include "tests/support/shared_data.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

// Made by testdata/make_pth.py.
fs::path file(const std::string& name) {
  return fs::path(LETHE_SOURCE_DIR) / "lethe/model/testdata" / name;
}

std::string refusal(const fs::path& path) {
  try {
    read_pth(path);
  } catch (const DataError& error) {
    return error.what();
  }
  return "(was accepted)";
}

void expect_net(const StateDict& state) {
  ASSERT_EQ(state.size(), 6u);
  EXPECT_TRUE(torch::equal(state.at("conv1.weight"), torch::arange(18.0).reshape({2, 1, 3, 3})));
  EXPECT_TRUE(torch::equal(state.at("bn1.weight"), torch::tensor({1.5f, 2.5f})));
  EXPECT_TRUE(torch::equal(state.at("bn1.bias"), torch::zeros({2})));
  EXPECT_TRUE(torch::equal(state.at("bn1.running_mean"), torch::zeros({2})));
  EXPECT_TRUE(torch::equal(state.at("bn1.running_var"), torch::tensor({3.0f, 4.0f})));
  EXPECT_TRUE(torch::equal(state.at("bn1.num_batches_tracked"), torch::tensor(7)));
  for (const auto& [name, tensor] : state) EXPECT_FALSE(tensor.requires_grad()) << name;
}

TEST(PthTest, AStateDictComesOutValueByValue) {
  expect_net(read_pth(file("plain.pth")));
  expect_net(read_pth(file("new.pth")));
}

TEST(PthTest, ParametersAreTensorsWithoutGradients) {
  expect_net(read_pth(file("parameters.pth")));
}

TEST(PthTest, ATrainingCheckpointGivesItsNetworkWithoutThePrefix) {
  expect_net(read_pth(file("training.pth")));
}

TEST(PthTest, ViewsAreReadThroughTheirStridesAndShareNothingAfterwards) {
  auto state = read_pth(file("views.pth"));

  const auto base = torch::arange(12.0);
  EXPECT_TRUE(torch::equal(state.at("middle"), base.narrow(0, 4, 4)));
  EXPECT_TRUE(torch::equal(state.at("columns"), base.reshape({3, 4}).t()));
  EXPECT_TRUE(state.at("columns").is_contiguous());
  EXPECT_TRUE(torch::equal(state.at("every_third"), torch::tensor({0.0f, 3.0f, 6.0f, 9.0f})));
  EXPECT_TRUE(torch::equal(state.at("scalar"), torch::tensor(5)));
  EXPECT_EQ(state.at("empty").sizes(), (std::vector<int64_t>{0, 3}));
  state.at("all").fill_(-1);
  EXPECT_TRUE(torch::equal(state.at("again"), base));
}

TEST(PthTest, TypesAreKept) {
  const auto state = read_pth(file("types.pth"));

  EXPECT_TRUE(torch::equal(state.at("half"), torch::tensor({0.5, -2.0}, torch::kHalf)));
  EXPECT_TRUE(torch::equal(state.at("bfloat16"), torch::tensor({0.5, -2.0}, torch::kBFloat16)));
  EXPECT_TRUE(torch::equal(state.at("double"), torch::tensor({0.1}, torch::kDouble)));
  EXPECT_TRUE(torch::equal(state.at("bool"), torch::tensor({true, false})));
  EXPECT_TRUE(torch::equal(state.at("byte"), torch::tensor({255}, torch::kByte)));
}

TEST(PthTest, AnEvilFileIsRefusedAndNothingRuns) {
  const auto message = refusal(file("evil.pth"));

  EXPECT_EQ(message,
            file("evil.pth").string() +
                ": refers to 'posix.system', which is not allowed in a weight file (nothing was "
                "executed); save the state_dict alone: torch.save(model.state_dict(), 'new.pth')");
  EXPECT_FALSE(fs::exists("lethe_ran_a_pickle"));
}

TEST(PthTest, WhatIsNoStateDictIsRefusedWithWhatItIs) {
  const std::pair<const char*, const char*> cases[] = {
      {"whole_module.pth", ": refers to 'torch.nn.modules.container.Sequential'"},
      {"torchscript.pth", ": is a TorchScript program; export its weights: "},
      {"big_endian.pth", ": was written on a machine with big-endian numbers"},
      {"list.pth", ": contains a list, not a state_dict"},
      {"no_tensors.pth", ": has no tensors in its state_dict; it contains epoch, optimizer"},
  };
  for (const auto& [name, expected] : cases) {
    const auto message = refusal(file(name));
    EXPECT_TRUE(message.starts_with(file(name).string() + expected)) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(PthTest, ATruncatedFileIsRefusedWhereverItEnds) {
  const test::Scratch scratch;
  const auto whole = read_text(file("plain.pth"));
  for (size_t length = 0; length < whole.size(); length += 97) {
    std::ofstream(scratch / "cut.pth", std::ios::binary) << whole.substr(0, length);
    const auto message = refusal(scratch / "cut.pth");
    EXPECT_NE(message.find("cut.pth: "), std::string::npos) << length << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

// An error, or tensors, but never a crash. (Some builds of LibTorch do not compare the zip file's
// checksums: then a wrong value cannot be noticed.)
TEST(PthTest, AFlippedByteIsRefusedOrHarmless) {
  const test::Scratch scratch;
  const auto whole = read_text(file("views.pth"));
  for (size_t i = 0; i < whole.size(); i += 5) {  // all of them would take 5 s
    auto flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x41);
    std::ofstream(scratch / "flipped.pth", std::ios::binary) << flipped;
    try {
      read_pth(scratch / "flipped.pth");
    } catch (const DataError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

// The archive with some bytes of its pickle replaced by as many others.
std::string refusal_with(const std::string& name, const std::string& from, const std::string& to) {
  const test::Scratch scratch;
  auto bytes = read_text(file(name));
  const auto at = bytes.find(from);
  if (at == std::string::npos || from.size() != to.size()) return "(the file has no such bytes)";
  bytes.replace(at, from.size(), to);
  std::ofstream(scratch / "changed.pth", std::ios::binary) << bytes;
  return refusal(scratch / "changed.pth");
}

TEST(PthTest, ATensorThatLeavesItsStorageIsRefusedWhateverTheFileClaims) {
  using namespace std::string_literals;
  // The first entry, "middle": a storage of 12 values, of which 4 from 4 on. All variants claim
  // 255.
  const auto middle = "K\xctq\7QK\4K\4\x85"s;
  const auto offset = refusal_with("views.pth", middle, "K\xfftq\7QK\xc8K\4\x85"s);
  const auto size = refusal_with("views.pth", middle, "K\xfftq\7QK\4K\xe\x85"s);
  const auto enough = refusal_with("views.pth", middle, "K\xfftq\7QK\4K\4\x85"s);

  EXPECT_NE(offset.find("entry 'middle': shape [4] with strides [1] from element 200 on leaves "),
            std::string::npos)
      << offset;
  EXPECT_NE(size.find("entry 'middle': shape [14] "), std::string::npos) << size;
  EXPECT_EQ(enough, "(was accepted)");
}

// Real weights as Python's torch saves them: needs LETHE_DATA, and torch
// in python3 or in LETHE_PYTHON.
TEST(RealPthTest, IsEqualToTheSafetensorsItWasMadeOf) {
  const char* python = std::getenv("LETHE_PYTHON");
  const std::string weights = "weights/resnet18-tinyimagenet.safetensors";
  const auto source = shared_data(weights);
  if (source.empty()) GTEST_SKIP() << no_shared_data(weights);
  const test::Scratch scratch;
  const auto command = shell_quoted(python ? python : "python3") + ' ' +
                       shell_quoted(file("make_pth.py").string()) + ' ' +
                       shell_quoted(source.string()) + ' ' + shell_quoted(scratch / "real.pth");
  if (std::system((command + " 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "python3 has no torch; LETHE_PYTHON can name one that has";
  }

  const auto expected = read_safetensors(source);
  const auto state = read_pth(scratch / "real.pth");

  ASSERT_EQ(state.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    EXPECT_TRUE(torch::equal(state.at(name), tensor)) << name;
  }
}

}  // namespace
}  // namespace lethe
