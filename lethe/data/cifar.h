// CIFAR-10 and CIFAR-100: colour photographs of 32 x 32. They are read from the official binary
// files, or else from the Python files (cifar-10-batches-py, cifar-100-python). A file may contain
// any number of whole records, so that a part of a dataset can be used.
#pragma once

#include <filesystem>
#include <vector>

#include "lethe/data/data_file.h"
#include "lethe/data/dataset.h"

namespace lethe {

// root, or its folder cifar-10-batches-bin, contains data_batch_1.bin to data_batch_5.bin and
// test_batch.bin. batches.meta.txt, if present, names the classes.
// Throws ConfigError if root is empty, DataError if a file is missing or invalid.
DataSplits load_cifar10(const std::filesystem::path& root);

// root, or its folder cifar-100-binary, contains train.bin and test.bin. fine_label_names.txt, if
// present, names the classes. Uses the fine labels. Throws like load_cifar10.
DataSplits load_cifar100(const std::filesystem::path& root);

// The files that they read. Throws like load_cifar10 if the first training file is missing.
std::vector<DataFile> cifar10_files(const std::filesystem::path& root);
std::vector<DataFile> cifar100_files(const std::filesystem::path& root);

}  // namespace lethe
