#include "lethe/data/cifar.h"
#include "lethe/data/fashion_mnist.h"
#include "lethe/data/options.h"
#include "lethe/data/shapes.h"

namespace lethe {

namespace fs = std::filesystem;

const std::vector<DatasetEntry>& builtin_datasets() {
  static const std::vector<DatasetEntry> entries = {
      {.name = "fashion_mnist",
       .summary = "10 kinds of clothes, grey, 60,000 + 10,000 images of 28 x 28 padded to 32 x 32",
       .root_help =
           "empty for Debian's package dataset-fashion-mnist, or a folder with "
           "train-images-idx3-ubyte(.gz), train-labels-idx1-ubyte(.gz) and the same of t10k",
       .augmentation = {.pad = 2, .flip = true, .rotation = 0},
       .load = [](const fs::path& root) { return load_fashion_mnist(root); }},
      {.name = "cifar10",
       .summary = "10 kinds of animals and vehicles, colour, 50,000 + 10,000 images of 32 x 32",
       .root_help = "a folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin",
       .augmentation = {.pad = 4, .flip = true, .rotation = 15},
       .load = [](const fs::path& root) { return load_cifar10(root); }},
      {.name = "cifar100",
       .summary = "100 kinds of things, colour, 50,000 + 10,000 images of 32 x 32",
       .root_help = "a folder with train.bin and test.bin",
       .augmentation = {.pad = 4, .flip = true, .rotation = 15},
       .load = [](const fs::path& root) { return load_cifar100(root); }},
      {.name = "shapes",
       .summary = "12 drawn classes, shape x texture, colour, 32 x 32; needs no file",
       .root_help = "nothing: the images are drawn",
       .augmentation = {.pad = 2, .flip = false, .rotation = 0},
       .load = [](const fs::path&) { return make_shapes(); }},
  };
  return entries;
}

}  // namespace lethe
