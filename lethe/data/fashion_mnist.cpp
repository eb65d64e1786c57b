#include "lethe/data/fashion_mnist.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/data/idx.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kFileSide = 28;
constexpr int64_t kSide = 32;  // can be halved five times

DatasetInfo fashion_mnist_info() {
  return {.name = "fashion_mnist",
          .problem = Problem::kImages,
          .class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt",
                          "Sneaker", "Bag", "Ankle boot"},
          .channels = 1,
          .height = kSide,
          .width = kSide,
          .mean = {0.2860},
          .std = {0.3530}};
}

fs::path find_file(const fs::path& folder, const std::string& name) {
  for (const auto& candidate : {folder / (name + ".gz"), folder / name}) {
    if (fs::is_regular_file(candidate)) return candidate;
  }
  throw_error<DataError>(
      "{}: no such file, nor {}.gz; data.root must be a folder with the four idx files of "
      "Fashion-MNIST, or empty for the package dataset-fashion-mnist",
      (folder / name).string(), name);
}

fs::path images_file(const fs::path& folder, const std::string& prefix) {
  return find_file(folder, prefix + "-images-idx3-ubyte");
}

fs::path labels_file(const fs::path& folder, const std::string& prefix) {
  return find_file(folder, prefix + "-labels-idx1-ubyte");
}

DatasetPtr read_split(const fs::path& folder, const std::string& prefix) {
  const auto images_path = images_file(folder, prefix);
  const auto labels_path = labels_file(folder, prefix);
  const auto images = read_idx(images_path, 3);
  const auto labels = read_idx(labels_path, 1);
  const int64_t count = images.size(0);
  if (images.size(1) != kFileSide || images.size(2) != kFileSide) {
    throw_error<DataError>("{}: expected images of {} x {}, found {} x {}", images_path.string(),
                           kFileSide, kFileSide, images.size(1), images.size(2));
  }
  if (labels.size(0) != count) {
    throw_error<DataError>("{}: expected {} labels, one for every image in {}, found {}",
                           labels_path.string(), count, images_path.filename().string(),
                           labels.size(0));
  }
  const int64_t pad = (kSide - kFileSide) / 2;
  auto padded = at::zeros({count, 1, kSide, kSide}, at::kByte);
  padded.select(1, 0).narrow(1, pad, kFileSide).narrow(2, pad, kFileSide).copy_(images);
  const auto* first = labels.data_ptr<uint8_t>();
  return std::make_shared<ImageBlock>(fashion_mnist_info(), std::move(padded),
                                      std::vector<int64_t>(first, first + count),
                                      labels_path.string());
}

fs::path find_folder(const fs::path& root, const fs::path& package) {
  if (root.empty() && !fs::is_directory(package)) {
    throw_error<DataError>(
        "{}: no such folder; install the package dataset-fashion-mnist, or set data.root to a "
        "folder with the idx files of Fashion-MNIST",
        package.string());
  }
  return root.empty() ? package : root;
}

constexpr const char* kTrainPrefix = "train";
constexpr const char* kTestPrefix = "t10k";

}  // namespace

DataSplits load_fashion_mnist(const fs::path& root, const fs::path& package) {
  const auto folder = find_folder(root, package);
  return {.train = read_split(folder, kTrainPrefix),
          .val = nullptr,
          .test = read_split(folder, kTestPrefix)};
}

std::vector<DataFile> fashion_mnist_files(const fs::path& root, const fs::path& package) {
  const auto folder = find_folder(root, package);
  return {{.path = images_file(folder, kTrainPrefix), .split = kTrainSplit},
          {.path = labels_file(folder, kTrainPrefix), .split = kTrainSplit},
          {.path = images_file(folder, kTestPrefix), .split = kTestSplit},
          {.path = labels_file(folder, kTestPrefix), .split = kTestSplit}};
}

}  // namespace lethe
