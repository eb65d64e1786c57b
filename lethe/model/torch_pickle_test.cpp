#include "lethe/model/torch_pickle.h"

#include <gtest/gtest.h>

#include <string>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

using namespace std::string_literals;

const std::string kBegin = "\x80\2"s;
const std::string kRebuild = "ctorch._utils\n_rebuild_tensor_v2\n";
// A storage of 12 floats, offset 4, sizes (2, 3), strides (3, 1), no gradient, no hooks.
const std::string kParts =
    "((U\7storagectorch\nFloatStorage\nU\1aU\3cpuK\xctQK\4K\2K\3\x86K\3K\1\x86\x89}t"s;

std::string refusal(const std::string& body) {
  return message_of<DataError>([&] { tensor_parts(*read_torch_pickle(kBegin + body)); });
}

TEST(TorchPickleTest, ATensorIsAViewOfItsStorage) {
  const auto parts = tensor_parts(*read_torch_pickle(kBegin + kRebuild + kParts + "R."));

  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->type, at::kFloat);
  EXPECT_EQ(parts->storage, "a");
  EXPECT_EQ(parts->offset, 4);
  EXPECT_EQ(parts->sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(parts->strides, (std::vector<int64_t>{3, 1}));
}

TEST(TorchPickleTest, AParameterIsItsTensor) {
  const auto parts = tensor_parts(*read_torch_pickle(
      kBegin + "ctorch._utils\n_rebuild_parameter\n" + kRebuild + kParts + "R\x88}\x87R."));

  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->storage, "a");
}

TEST(TorchPickleTest, OtherValuesAreNoTensors) {
  for (const std::string body : {"K\1.", "N.", "].", "ccollections\nOrderedDict\n)R."}) {
    EXPECT_FALSE(tensor_parts(*read_torch_pickle(kBegin + body))) << body;
  }
}

TEST(TorchPickleTest, EveryOtherNameOfPythonIsRefused) {
  for (const std::string name :
       {"posix\nsystem", "__builtin__\neval", "torch\nload", "torch._utils\n_rebuild_sparse_tensor",
        "torch.jit._pickle\nbuild_intlist"}) {
    const auto message = refusal("c" + name + "\n)R.");
    auto shown = name;
    shown.replace(shown.find('\n'), 1, ".");
    EXPECT_NE(message.find("refers to '" + shown + "', which is not allowed in a weight file"),
              std::string::npos)
        << message;
  }
}

TEST(TorchPickleTest, ATensorWithOtherPartsIsDamaged) {
  const auto changed = [](const std::string& from, const std::string& to) {
    auto body = kRebuild + kParts + "R.";
    return body.replace(body.find(from), from.size(), to);
  };
  const std::string bodies[] = {
      kRebuild + ")R.",                                // no parts
      "ctorch._utils\n_rebuild_parameter\n)R.",        // no tensor
      "ctorch._utils\n_rebuild_parameter\nK\1\x85R.",  // a number
      changed("U\7storage", "U\7modules"),             // another kind of reference
      changed("ctorch\nFloatStorage\n", "ccollections\nOrderedDict\n"),  // no type
      changed("ctorch\nFloatStorage\n", kRebuild),
      changed("tQK\4", "tQN"),            // no offset
      changed("K\2K\3\x86", "K\2N\x86"),  // a size that is no number
      changed("K\3K\1\x86", "K\3\x85"),   // fewer strides than sizes
  };
  for (const auto& body : bodies) {
    const auto message = refusal(body);
    EXPECT_TRUE(message.starts_with("is damaged: ")) << message;
  }
}

}  // namespace
}  // namespace lethe
