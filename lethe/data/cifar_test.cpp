#include "lethe/data/cifar.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

// A record whose red, green and blue planes contain value, value + 1 and value + 2.
Bytes record(const Bytes& label, uint8_t value) {
  Bytes bytes = label;
  for (int plane = 0; plane < 3; ++plane) {
    bytes.resize(bytes.size() + 1024, static_cast<uint8_t>(value + plane));
  }
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes text(const std::string& lines) { return {lines.begin(), lines.end()}; }

std::string hundred_names() {
  std::string names;
  for (int i = 0; i < 100; ++i) names += "thing " + std::to_string(i) + "\r\n";
  return names + "\n";
}

class Cifar100Test : public testing::Test {
 protected:
  Cifar100Test() {
    folder_.write("train.bin", record({7, 99}, 10) + record({3, 0}, 20));
    folder_.write("test.bin", record({1, 5}, 30));
  }

  std::string refusal() {
    return message_of<DataError>([&] { load_cifar100(folder_.path()); });
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  TestFolder folder_;
};

TEST_F(Cifar100Test, ReadsTheFineLabelAndThePlanes) {
  const auto splits = load_cifar100(folder_.path());

  EXPECT_EQ(splits.train->size(), 2);
  EXPECT_EQ(splits.test->size(), 1);
  EXPECT_EQ(splits.train->get(0).label, 99);
  EXPECT_EQ(splits.test->get(0).label, 5);
  const auto expected = at::tensor({20, 21, 22}, at::kByte).reshape({3, 1, 1}).expand({3, 32, 32});
  EXPECT_TRUE(at::equal(splits.train->get(1).image, expected));
}

TEST_F(Cifar100Test, ClassesHaveTheOfficialNamesIfNoFileSaysOtherwise) {
  const auto names = load_cifar100(folder_.path()).train->info().class_names;

  ASSERT_EQ(names.size(), 100);
  EXPECT_EQ(names.front(), "apple");
  EXPECT_EQ(names[50], "mouse");
  EXPECT_EQ(names.back(), "worm");
}

TEST_F(Cifar100Test, ClassesHaveTheNamesOfTheFile) {
  folder_.write("fine_label_names.txt", text(hundred_names()));

  EXPECT_EQ(load_cifar100(folder_.path()).test->info().class_names[42], "thing 42");
}

TEST_F(Cifar100Test, FindsTheOfficialFolderBelowTheRoot) {
  std::filesystem::create_directory(folder_.path() / "cifar-100-binary");
  for (const auto* name : {"train.bin", "test.bin"}) {
    std::filesystem::rename(folder_.path() / name, folder_.path() / "cifar-100-binary" / name);
  }

  EXPECT_EQ(load_cifar100(folder_.path()).train->size(), 2);
}

TEST_F(Cifar100Test, RefusesAPartOfARecord) {
  folder_.write("train.bin", Bytes(3073));
  EXPECT_EQ(refusal(), file("train.bin") +
                           ": expected a whole number of records of 3074 bytes, found 3073 bytes");

  folder_.write("train.bin", {});
  EXPECT_EQ(refusal(), file("train.bin") +
                           ": expected a whole number of records of 3074 bytes, found 0 bytes");
}

TEST_F(Cifar100Test, RefusesALabelThatIsNoClass) {
  folder_.write("test.bin", record({0, 1}, 0) + record({0, 100}, 0));

  EXPECT_EQ(refusal(), file("test.bin") + ": label of record 1: expected 0 to 99, found 100");
}

TEST_F(Cifar100Test, RefusesAnotherNumberOfNames) {
  folder_.write("fine_label_names.txt", text("apple\nbear\n"));

  EXPECT_EQ(refusal(), file("fine_label_names.txt") + ": expected 100 class names, found 2");
}

TEST_F(Cifar100Test, AMissingFileIsNamed) {
  std::filesystem::remove(folder_.path() / "test.bin");
  EXPECT_EQ(refusal(), file("test.bin") + ": no such file");

  std::filesystem::remove(folder_.path() / "train.bin");
  EXPECT_EQ(refusal(), file("train.bin") +
                           ": no such file, nor cifar-100-binary/train.bin; data.root must be the "
                           "folder of cifar100's binary files (or Python files)");
}

TEST_F(Cifar100Test, AsksForTheRootIfItIsNotSet) {
  EXPECT_EQ(message_of<ConfigError>([] { load_cifar100(""); }),
            "data.root is not set: cifar100 needs the folder that contains train.bin");
}

TEST_F(Cifar100Test, ReadsTheRealFiles) {
  const auto root = shared_data("cifar-100-binary");
  if (root.empty()) GTEST_SKIP() << no_shared_data("cifar-100-binary");

  const auto splits = load_cifar100(root);

  const auto& info = splits.train->info();
  std::vector<int64_t> counts(100);
  auto sum = at::zeros({3}, at::kDouble);
  for (int64_t i = 0; i < splits.train->size(); ++i) {
    ++counts[static_cast<size_t>(splits.train->labels_of(i).front())];
    if (i < 5000) sum += splits.train->get(i).image.sum({1, 2}).to(at::kDouble);
  }
  EXPECT_EQ(*std::min_element(counts.begin(), counts.end()), splits.train->size() / 100);
  EXPECT_EQ(info.class_names[static_cast<size_t>(splits.train->get(0).label)], "cattle");
  // The channel means match the known constants only if the planes are in the right order.
  for (int64_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(sum[c].item<double>() / (5000 * 1024 * 255.0), info.mean[static_cast<size_t>(c)],
                0.01);
  }
}

// A pickle like the official files, which Python 2 wrote: protocol 2, strings as bytes.
class Python2Pickle {
 public:
  Python2Pickle() : bytes_{0x80, 2, '}', 'q', 1, '('} {}

  Python2Pickle& key(const std::string& name) { return text(name); }
  Python2Pickle& text(const std::string& value) {
    raw({'U', static_cast<uint8_t>(value.size())});
    return raw(Bytes(value.begin(), value.end()));
  }
  Python2Pickle& numbers(const Bytes& values) {
    raw({']', '('});
    for (const auto value : values) raw({'K', value});
    return raw({'e'});
  }
  Python2Pickle& texts(const std::vector<std::string>& values) {
    raw({']', '('});
    for (const auto& value : values) text(value);
    return raw({'e'});
  }
  Python2Pickle& array(uint8_t rows, const Bytes& pixels) {
    line("cnumpy.core.multiarray").line("_reconstruct").raw({'q', 2});
    line("cnumpy").line("ndarray").raw({'K', 0, 0x85}).text("b").raw({0x87, 'R', '('});
    raw({'K', 1, 'K', rows, 'M', 0x00, 0x0C, 0x86});  // version 1, rows x 3072
    line("cnumpy").line("dtype").text("u1").raw({'K', 0, 'K', 1, 0x87, 'R', '(', 'K', 3});
    text("|").raw({'N', 'N', 'N', 'J', 255, 255, 255, 255, 'J', 255, 255, 255, 255, 'K', 0});
    raw({'t', 'b', 0x89, 'T'});
    for (const int shift : {0, 8, 16, 24}) raw({static_cast<uint8_t>(pixels.size() >> shift)});
    return raw(pixels).raw({'t', 'b'});
  }
  Bytes done() { return raw({'u', '.'}).bytes_; }

 private:
  Python2Pickle& raw(const Bytes& more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }
  Python2Pickle& line(const std::string& value) {
    return raw(Bytes(value.begin(), value.end())).raw({'\n'});
  }
  Bytes bytes_;
};

TEST(CifarPythonTest, ReadsThePicklesOfCifar100) {
  const TestFolder folder;
  const auto pixels = record({}, 10) + record({}, 20);
  folder.write("cifar-100-python/train", Python2Pickle()
                                             .key("data")
                                             .array(2, pixels)
                                             .key("coarse_labels")
                                             .numbers({7, 3})
                                             .key("fine_labels")
                                             .numbers({99, 0})
                                             .done());
  folder.write(
      "cifar-100-python/test",
      Python2Pickle().key("fine_labels").numbers({5}).key("data").array(1, record({}, 30)).done());
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("thing " + std::to_string(i));
  folder.write("cifar-100-python/meta",
               Python2Pickle().key("fine_label_names").texts(names).done());

  const auto splits = load_cifar100(folder.path());

  ASSERT_EQ(splits.train->size(), 2);
  EXPECT_EQ(splits.train->get(0).label, 99);
  EXPECT_EQ(splits.test->get(0).label, 5);
  EXPECT_EQ(splits.test->info().class_names[42], "thing 42");
  const auto expected = at::tensor({20, 21, 22}, at::kByte).reshape({3, 1, 1}).expand({3, 32, 32});
  EXPECT_TRUE(at::equal(splits.train->get(1).image, expected));
}

TEST(CifarPythonTest, ReadsThePicklesOfCifar10) {
  const TestFolder folder;
  for (uint8_t i = 1; i <= 5; ++i) {
    folder.write(
        "data_batch_" + std::to_string(i),
        Python2Pickle().key("labels").numbers({i}).key("data").array(1, record({}, i)).done());
  }
  folder.write(
      "test_batch",
      Python2Pickle().key("labels").numbers({9}).key("data").array(1, record({}, 7)).done());

  const auto splits = load_cifar10(folder.path());

  ASSERT_EQ(splits.train->size(), 5);
  EXPECT_EQ(splits.train->get(4).label, 5);
  EXPECT_EQ(splits.train->get(4).image[2][31][31].item<int>(), 7);
  EXPECT_EQ(splits.test->info().class_names[9], "truck");
}

TEST(CifarPythonTest, WhatIsWrongIsNamed) {
  const TestFolder folder;
  const auto refusal = [&](const Bytes& train) {
    const auto path = folder.write("train", train).string();
    const auto message = message_of<DataError>([&] { load_cifar100(folder.path()); });
    return message.substr(std::min(message.size(), path.size()));
  };
  const auto whole = Python2Pickle().key("fine_labels").numbers({1}).done();

  EXPECT_EQ(refusal(whole), ": has no 'data' of the expected type");
  EXPECT_EQ(refusal(Bytes(whole.begin(), whole.end() - 1)),
            ": is damaged: it ends too early (byte " + std::to_string(whole.size() - 1) +
                " of its pickle)");
  EXPECT_EQ(refusal({0x80, 2, 'c', 'o', 's', '\n', 's', 'y', 's', '\n', ')', 'R', '.'}),
            ": refers to 'os.sys', which is not part of CIFAR's files (it was not run)");
  EXPECT_EQ(refusal(Python2Pickle()
                        .key("fine_labels")
                        .numbers({1, 2})
                        .key("data")
                        .array(1, record({}, 1))
                        .done()),
            ": expected an array of 2 x 3072 bytes for 2 labels");
  EXPECT_EQ(refusal(Python2Pickle()
                        .key("fine_labels")
                        .numbers({100})
                        .key("data")
                        .array(1, record({}, 1))
                        .done()),
            ": label of record 0: expected 0 to 99, found 100");
}

class Cifar10Test : public testing::Test {
 protected:
  Cifar10Test() {
    for (uint8_t i = 1; i <= 5; ++i) {
      folder_.write("data_batch_" + std::to_string(i) + ".bin", record({i}, i));
    }
    folder_.write("test_batch.bin", record({9}, 0) + record({0}, 50));
  }

  TestFolder folder_;
};

TEST_F(Cifar10Test, JoinsTheFiveTrainingFilesInOrder) {
  const auto splits = load_cifar10(folder_.path());

  ASSERT_EQ(splits.train->size(), 5);
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(splits.train->get(i).label, i + 1);
    EXPECT_EQ(splits.train->get(i).image[0][0][0].item<int>(), i + 1);
  }
  EXPECT_EQ(splits.test->size(), 2);
  EXPECT_EQ(splits.test->info().class_names[9], "truck");
}

TEST_F(Cifar10Test, RefusesASetWithoutItsThirdFile) {
  std::filesystem::remove(folder_.path() / "data_batch_3.bin");

  EXPECT_EQ(message_of<DataError>([&] { load_cifar10(folder_.path()); }),
            (folder_.path() / "data_batch_3.bin").string() + ": no such file");
}

TEST_F(Cifar10Test, RefusesALabelAboveNine) {
  folder_.write("test_batch.bin", record({10}, 0));

  EXPECT_EQ(message_of<DataError>([&] { load_cifar10(folder_.path()); }),
            (folder_.path() / "test_batch.bin").string() +
                ": label of record 0: expected 0 to 9, found 10");
}

TEST_F(Cifar10Test, ClassesHaveTheNamesOfTheFile) {
  folder_.write("batches.meta.txt", text("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n"));

  EXPECT_EQ(load_cifar10(folder_.path()).train->info().class_names[9], "j");
}

}  // namespace
}  // namespace lethe
