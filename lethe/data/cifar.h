// CIFAR-10 and CIFAR-100: colour photographs of 32 x 32, read from the official binary files, or
// from those for Python (cifar-10-batches-py, cifar-100-python) where there are none.
// A file may hold any whole number of records, so that a part of a set can be used.
#pragma once

#include <filesystem>

#include "lethe/data/dataset.h"

namespace lethe {

// root, or its folder cifar-10-batches-bin, holds data_batch_1.bin to data_batch_5.bin and
// test_batch.bin; batches.meta.txt, if present, names the classes.
// Throws ConfigError if root is empty, DataError if a file is missing or not as it should be.
DataSplits load_cifar10(const std::filesystem::path& root);

// root, or its folder cifar-100-binary, holds train.bin and test.bin; fine_label_names.txt, if
// present, names the classes. Labels are the fine ones. Throws as load_cifar10.
DataSplits load_cifar100(const std::filesystem::path& root);

}  // namespace lethe
