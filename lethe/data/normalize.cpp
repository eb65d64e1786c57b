#include "lethe/data/normalize.h"

#include <memory>
#include <utility>

#include "lethe/core/error.h"

namespace lethe {

namespace {

// A dataset with other constants.
class Rescaled : public Dataset {
 public:
  Rescaled(DatasetPtr dataset, std::vector<double> mean, std::vector<double> std)
      : dataset_(std::move(dataset)), info_(dataset_->info()) {
    info_.mean = std::move(mean);
    info_.std = std::move(std);
  }

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return dataset_->size(); }
  Sample get(int64_t index) const override { return dataset_->get(index); }
  std::vector<int64_t> labels_of(int64_t index) const override {
    return dataset_->labels_of(index);
  }

 private:
  DatasetPtr dataset_;
  DatasetInfo info_;
};

DatasetPtr as_imagenet(const DatasetPtr& dataset) {
  if (!dataset) return nullptr;
  if (dataset->info().channels != 3) {
    throw_error<ConfigError>(
        R"(data.normalize = "imagenet": needs three channels, {} has {}; use "own")",
        dataset->info().name, dataset->info().channels);
  }
  return std::make_shared<Rescaled>(dataset, std::vector{0.485, 0.456, 0.406},
                                    std::vector{0.229, 0.224, 0.225});
}

}  // namespace

DataSplits with_imagenet_constants(const DataSplits& splits) {
  return {.train = as_imagenet(splits.train),
          .val = as_imagenet(splits.val),
          .test = as_imagenet(splits.test)};
}

DatasetPtr with_constants_of(const DatasetInfo& other, DatasetPtr dataset) {
  if (!dataset) return nullptr;
  return std::make_shared<Rescaled>(std::move(dataset), other.mean, other.std);
}

}  // namespace lethe
