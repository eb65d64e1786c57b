#include "lethe/model/torch_pickle.h"

#include <gtest/gtest.h>

#include <string>

#include "lethe/core/error.h"

namespace lethe {
namespace {

using namespace std::string_literals;

const std::string kBegin = "\x80\2"s;

std::string refusal(const std::string& body) {
  try {
    checked_pickle(kBegin + body);
  } catch (const DataError& error) {
    return error.what();
  }
  return "(was accepted)";
}

TEST(TorchPickleTest, PlainValuesAreWrittenAsTheyWere) {
  const auto pickle = kBegin + "}(X\1\0\0\0aK\5X\1\0\0\0bN\x88\x89\x86u."s;
  // "b" is the key of None here, and (True, False) a key without a value.
  EXPECT_THROW(checked_pickle(pickle), DataError);

  const auto whole = kBegin + "}(X\1\0\0\0aK\5X\1\0\0\0b\x88\x89\x86u."s;
  EXPECT_EQ(checked_pickle(whole), whole);
}

TEST(TorchPickleTest, AnOrderedDictBecomesADictAndItsAttributesAreDropped) {
  const auto pickle = kBegin + "ccollections\nOrderedDict\nq\0)Rq\1}X\1\0\0\0mK\1sb."s;

  EXPECT_EQ(checked_pickle(pickle), kBegin + ")\x81}r\1\0\0\0}(X\1\0\0\0mK\1u\x81."s);
}

TEST(TorchPickleTest, AListOfOneItemGetsItsMark) {
  EXPECT_EQ(checked_pickle(kBegin + "](K\1K\2tq\0a."s), kBegin + "]((K\1K\2tr\0\0\0\0e."s);
}

TEST(TorchPickleTest, IntegersOfAnyLengthGetEightBytes) {
  EXPECT_EQ(checked_pickle(kBegin + "\x8a\2\xff\x7f."s), kBegin + "\x8a\x8\xff\x7f\0\0\0\0\0\0."s);
  EXPECT_EQ(checked_pickle(kBegin + "\x8a\1\xfe."s),
            kBegin + "\x8a\x8\xfe\xff\xff\xff\xff\xff\xff\xff."s);
  EXPECT_EQ(refusal("\x8a\x9"s + std::string(9, '\1') + "."),
            "holds an integer of more than 64 bits");
}

TEST(TorchPickleTest, EveryOtherNameOfPythonIsRefused) {
  const std::pair<std::string, std::string> names[] = {
      {"posix\nsystem", "'posix.system'"},
      {"__builtin__\neval", "'__builtin__.eval'"},
      {"torch\nload", "'torch.load'"},
      {"torch._utils\n_rebuild_sparse_tensor", "'torch._utils._rebuild_sparse_tensor'"},
      {"torch.jit._pickle\nbuild_intlist", "'torch.jit._pickle.build_intlist'"},
      {"a\x1b[2J\nb", "'a?[2J.b'"},  // nothing that a terminal would obey
      {"collections.OrderedDict\n", "'collections.OrderedDict.'"},
  };
  for (const auto& [name, shown] : names) {
    const auto message = refusal("c" + name + "\n)R.");
    EXPECT_NE(message.find("refers to " + shown), std::string::npos) << message;
  }
}

TEST(TorchPickleTest, OtherWaysToANameAreNoOpcodesHere) {
  for (const char code : {'i', 'o', '\x81', '\x92', '\x93', '\x82', '\x83', '\x84', 'P'}) {
    const auto message = refusal("(X\1\0\0\0aX\1\0\0\0b"s + code + ".");
    EXPECT_NE(message.find("is none that torch.save writes"), std::string::npos) << message;
  }
  EXPECT_THROW(checked_pickle("\x80\4\x8c\5posix\x8c\6system\x93)R."), DataError);
}

TEST(TorchPickleTest, WhatWouldReadBeyondTheStackIsDamaged) {
  const std::string bodies[] = {
      "",                       // nothing at all
      "X\xff\xff\xff\xffq.",    // a text longer than the file
      "}(K\1u.",                // a key without a value
      "(K\1",                   // no end
      "t.",                     // no mark
      "K\1(0.",                 // POP
      "(K\1(R.",                // a call over a mark
      "K\1\x86.",               // two items of one
      "K\0)R."s,                // a number is no function
      "h\0."s,                  // never put
      "q\0."s,                  // nothing to put
      "K\1r\xff\xff\xff\xff.",  // would need a table of 64 GB
      "K\1K\2.",                // two results
      "ccollections\nOrderedDict\n]R.",
      "ccollections\nOrderedDict\nK\1\x85R.",
      "]ccollections\nOrderedDict\na.",
      "ctorch._utils\n_rebuild_tensor_v2\n)R.",
      "K\1Q.",
      "K\1}b.",
  };
  for (const auto& body : bodies) {
    const auto message = refusal(body);
    EXPECT_NE(message.find("is damaged: "), std::string::npos) << message;
  }
}

TEST(TorchPickleTest, DepthIsLimitedAndCannotBeHidden) {
  std::string deep = "K\1";
  for (int i = 0; i < 40; ++i) deep += '\x85';
  EXPECT_EQ(refusal(deep + "."), "is nested more than 32 deep");
  EXPECT_NE(refusal("]q\0h\0a."s).find("in two places"), std::string::npos);
}

}  // namespace
}  // namespace lethe
