#include "lethe/data/cars.h"

#include <string>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/data/mat_file.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTestLabels = "cars_test_annos_withlabels.mat";

fs::path find_folder(const fs::path& root) {
  if (root.empty()) {
    throw ConfigError("data.root is not set: cars needs the folder that contains devkit");
  }
  for (const auto& folder : {root, root / "stanford_cars"}) {
    if (fs::is_regular_file(folder / "devkit" / "cars_meta.mat")) return folder;
  }
  throw_error<DataError>(
      "{}: no such file, nor stanford_cars/devkit/cars_meta.mat; data.root must be the folder that "
      "car_devkit.tgz, cars_train.tgz and cars_test.tgz were unpacked in",
      (root / "devkit" / "cars_meta.mat").string());
}

// The images in an annotation file; their paths are relative to the folder images.
std::vector<ImageFile> read_annotations(const fs::path& path, const fs::path& images,
                                        size_t classes) {
  const auto names = read_mat_texts(path, "annotations", "fname");
  const auto labels = read_mat_numbers(path, "annotations", "class");
  std::vector<ImageFile> files;
  for (size_t i = 0; i < names.size(); ++i) {
    if (labels[i] < 1 || labels[i] > static_cast<int64_t>(classes)) {
      throw_error<DataError>("{}: annotations({}).class: expected 1 to {}, found {}", path.string(),
                             i + 1, classes, labels[i]);
    }
    files.push_back({.path = images / names[i], .label = labels[i] - 1});
  }
  require_files(files, path);
  return files;
}

}  // namespace

ImageLists list_cars(const fs::path& root, double test_fraction) {
  const auto folder = find_folder(root);
  const auto devkit = folder / "devkit";
  ImageLists lists;
  lists.class_names = read_mat_cells(devkit / "cars_meta.mat", "class_names");
  const auto classes = lists.class_names.size();
  const auto train_labels = devkit / "cars_train_annos.mat";
  lists.train = read_annotations(train_labels, folder / "cars_train", classes);
  lists.list_files = {{.path = devkit / "cars_meta.mat", .split = kBothSplits}};
  for (const auto& path : {devkit / kTestLabels, folder / kTestLabels}) {
    if (!fs::exists(path)) continue;
    lists.test = read_annotations(path, folder / "cars_test", classes);
    lists.list_files.push_back({.path = train_labels, .split = kTrainSplit});
    lists.list_files.push_back({.path = path, .split = kTestSplit});
    return lists;
  }
  log_warning(
      "{}: no such file, so the official test images have no labels; {} of the training images are "
      "held out for testing instead (data.test_fraction)",
      (devkit / kTestLabels).string(), test_fraction);
  lists.list_files.push_back({.path = train_labels, .split = kBothSplits});
  hold_out_test(lists, test_fraction);
  return lists;
}

}  // namespace lethe
