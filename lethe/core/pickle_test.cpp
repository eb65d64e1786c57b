#include "lethe/core/pickle.h"

#include <gtest/gtest.h>

#include <string>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

using namespace std::string_literals;

const std::string kBegin = "\x80\2"s;

PicklePtr read(const std::string& body) {
  return read_pickle(kBegin + body, {.allowed = {"toys.make"}, .refusal = "is not a toy"});
}

std::string refusal(const std::string& body) {
  return message_of<DataError>([&] { read(body); });
}

// The value as Python would print it.
std::string text_of(const PicklePtr& value) {
  const auto joined = [](const auto& items) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
    return text;
  };
  if (value == nullptr) return "-";
  if (value->get<PickleNone>()) return "None";
  if (const auto* flag = value->get<bool>()) return *flag ? "True" : "False";
  if (const auto* number = value->get<int64_t>()) return std::to_string(*number);
  if (const auto* real = value->get<double>()) return fmt::format("{}", *real);
  if (const auto* text = value->get<std::string>()) return "'" + *text + "'";
  if (const auto* tuple = value->get<PickleTuple>()) return "(" + joined(tuple->items) + ")";
  if (const auto* list = value->get<PickleList>()) return "[" + joined(*list) + "]";
  if (const auto* name = value->get<PickleName>()) return name->name;
  if (const auto* reference = value->get<PickleReference>())
    return "@(" + joined(reference->id->items) + ")";
  if (const auto* object = value->get<PickleObject>())
    return object->name + "(" + joined(object->arguments->items) + ")" +
           (object->state ? "." + text_of(object->state) : "");
  std::string text;
  for (const auto& [key, item] : *value->get<PickleDict>())
    text += (text.empty() ? "" : ", ") + text_of(key) + ": " + text_of(item);
  return "{" + text + "}";
}

TEST(PickleTest, PlainValuesAreRead) {
  EXPECT_EQ(text_of(read("}(X\1\0\0\0aK\5U\1b\x88\x89\x86u."s)), "{'a': 5, 'b': (True, False)}");
  EXPECT_EQ(text_of(read("](NG?\xf8\0\0\0\0\0\0J\xff\xff\xff\xffM\0\1)e."s)),
            "[None, 1.5, -1, 256, ()]");
  EXPECT_EQ(text_of(read("](K\1K\2tq\0a."s)), "[(1, 2)]");
}

TEST(PickleTest, ProtocolFourIsReadToo) {
  const auto value = read_pickle(
      "\x80\4\x95\x10\0\0\0\0\0\0\0}\x94\x8c\1k\x94\x8c\4toys\x94\x8c\4make\x94\x93\x94K\7\x85R\x94s."s,
      {.allowed = {"toys.make"}, .refusal = ""});

  EXPECT_EQ(text_of(value), "{'k': toys.make(7)}");
  EXPECT_THROW(read_pickle("\x80\5N."s, {}), DataError);
  EXPECT_THROW(read_pickle("N."s, {}), DataError);
}

TEST(PickleTest, IntegersOfAnyLengthUpToEightBytesAreRead) {
  EXPECT_EQ(text_of(read("\x8a\2\xff\x7f."s)), "32767");
  EXPECT_EQ(text_of(read("\x8a\1\xfe."s)), "-2");
  EXPECT_EQ(text_of(read("\x8a\0."s)), "0");
  EXPECT_EQ(text_of(read("\x8a\x8\0\0\0\0\0\0\0\x80."s)), "-9223372036854775808");
  EXPECT_EQ(refusal("\x8a\x9"s + std::string(9, '\1') + "."),
            "contains an integer of more than 64 bits");
}

TEST(PickleTest, AnOrderedDictIsADictWithoutItsAttributes) {
  const auto value = read("ccollections\nOrderedDict\nq\0)Rq\1X\1\0\0\0aK\1s}X\1\0\0\0mK\1sb."s);

  EXPECT_EQ(text_of(value), "{'a': 1}");
}

TEST(PickleTest, ACallIsKeptAndNotMade) {
  EXPECT_EQ(text_of(read("ctoys\nmake\nK\1K\2\x86RK\3b."s)), "toys.make(1, 2).3");
  EXPECT_EQ(text_of(read("U\7storageK\1\x86Q."s)), "@('storage', 1)");
}

TEST(PickleTest, ALaterValueOfAKeyReplacesAnEarlierOne) {
  const auto value = read("}(U\1aK\1U\1aK\2u."s);

  EXPECT_EQ(text_of(find(*value->get<PickleDict>(), "a")), "2");
  EXPECT_EQ(find(*value->get<PickleDict>(), "b"), nullptr);
}

TEST(PickleTest, EveryOtherNameIsRefused) {
  const std::pair<std::string, std::string> names[] = {
      {"posix\nsystem", "'posix.system'"},
      {"__builtin__\neval", "'__builtin__.eval'"},
      {"toys\nmaker", "'toys.maker'"},
      {"a\x1b[2J\nb", "'a?[2J.b'"},  // nothing that a terminal would obey
      {"collections.OrderedDict\n", "'collections.OrderedDict.'"},
  };
  for (const auto& [name, shown] : names) {
    EXPECT_EQ(refusal("c" + name + "\n)R."), "refers to " + shown + ", which is not a toy");
  }
  EXPECT_EQ(refusal("U\5posixU\6system\x93)R."s), "refers to 'posix.system', which is not a toy");
}

TEST(PickleTest, OpcodesThatMakeOtherObjectsAreNotKnown) {
  for (const char code : {'i', 'o', '\x81', '\x92', '\x82', '\x83', '\x84', 'P', '0'}) {
    const auto message = refusal("(X\1\0\0\0aX\1\0\0\0b"s + std::string(1, code) + ".");
    EXPECT_NE(message.find("is not known here"), std::string::npos) << message;
  }
}

TEST(PickleTest, APickleThatWouldReadBeyondItsStackIsDamaged) {
  const std::string bodies[] = {
      "",                       // nothing at all
      "X\xff\xff\xff\xffq.",    // a text longer than the file
      "}(K\1u.",                // a key without a value
      "(K\1",                   // no end
      "t.",                     // no mark
      "(K\1(R.",                // a call over a mark
      "K\1\x86.",               // two items of one
      "K\0)R."s,                // a number is no function
      "h\0."s,                  // never put
      "q\0."s,                  // nothing to put
      "K\1r\xff\xff\xff\xff.",  // would need a table of 64 GB
      "K\1K\2.",                // two results
      "ctoys",                  // a name without an end
      "K\1K\2\x93.",            // a name of numbers
      "ccollections\nOrderedDict\n]R.",
      "ccollections\nOrderedDict\nK\1\x85R.",
      "]ccollections\nOrderedDict\na.",
      "K\1Q.",
      "K\1}b.",
      "K\1K\2a.",
  };
  for (const auto& body : bodies) {
    const auto message = refusal(body);
    EXPECT_TRUE(message.starts_with("is damaged: ")) << message;
  }
}

TEST(PickleTest, EveryTruncatedPickleIsDamaged) {
  const auto whole = "}(U\1a(K\1K\2tq\0U\1bh\0U\1cctoys\nmake\n)Ru."s;
  ASSERT_EQ(text_of(read(whole)), "{'a': (1, 2), 'b': (1, 2), 'c': toys.make()}");
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_TRUE(refusal(whole.substr(0, length)).starts_with("is damaged: ")) << length;
  }
}

TEST(PickleTest, DepthIsLimitedAndThereAreNoCycles) {
  std::string deep = "K\1";
  for (int i = 0; i < 40; ++i) deep += '\x85';
  EXPECT_EQ(refusal(deep + "."), "is nested more than 32 deep");
  EXPECT_EQ(refusal("]q\0h\0a."s), "contains the same list or dict in two places");
  // An object within its own state: the remembered object has no state.
  EXPECT_EQ(text_of(read("ctoys\nmake\n)Rq\0h\0\x85"
                         "b."s)),
            "toys.make().(toys.make())");
}

}  // namespace
}  // namespace lethe
