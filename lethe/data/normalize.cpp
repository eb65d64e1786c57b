#include "lethe/data/normalize.h"

#include <memory>
#include <utility>

#include "lethe/core/error.h"

namespace lethe {

namespace {

// A dataset with the constants of ImageNet.
class Rescaled : public Dataset {
 public:
  explicit Rescaled(DatasetPtr dataset) : dataset_(std::move(dataset)), info_(dataset_->info()) {
    if (info_.channels != 3) {
      throw_error<ConfigError>(
          R"(data.normalize = "imagenet": needs three channels, {} has {}; use "own")", info_.name,
          info_.channels);
    }
    info_.mean = {0.485, 0.456, 0.406};
    info_.std = {0.229, 0.224, 0.225};
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

DatasetPtr rescaled(const DatasetPtr& dataset) {
  return dataset ? std::make_shared<Rescaled>(dataset) : nullptr;
}

}  // namespace

DataSplits with_imagenet_constants(const DataSplits& splits) {
  return {
      .train = rescaled(splits.train), .val = rescaled(splits.val), .test = rescaled(splits.test)};
}

}  // namespace lethe
