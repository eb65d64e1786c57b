// Fashion-MNIST: 10 classes of clothes, 60,000 + 10,000 greyscale images of 28 x 28. They are
// padded to 32 x 32.
#pragma once

#include <filesystem>
#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/dataset.h"

namespace lethe {

// The folder of Debian's package dataset-fashion-mnist.
inline constexpr const char* kFashionMnistPackage = "/usr/share/datasets/fashion-mnist";

// Reads train-images-idx3-ubyte, train-labels-idx1-ubyte and the two t10k-... files, each with or
// without .gz, from root, or from package if root is empty. Any number of images. Throws DataError.
DataSplits load_fashion_mnist(const std::filesystem::path& root,
                              const std::filesystem::path& package = kFashionMnistPackage);

// The four files that it reads. Throws DataError if one is missing.
std::vector<DataFile> fashion_mnist_files(
    const std::filesystem::path& root, const std::filesystem::path& package = kFashionMnistPackage);

}  // namespace lethe
