#include "lethe/data/dataset.h"

#include <ATen/ATen.h>

#include <array>
#include <set>
#include <utility>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

void require_index(int64_t index, int64_t size) {
  if (index < 0 || index >= size) {
    throw_error<Error>("sample {}: expected a number from 0 to {}", index, size - 1);
  }
}

}  // namespace

void require_class_names(const std::vector<std::string>& names, const std::string& origin) {
  std::set<std::string> seen;
  for (const auto& name : names) {
    if (name.empty()) throw_error<DataError>("{}: a class has no name", origin);
    if (!seen.insert(name).second) {
      throw_error<DataError>("{}: two classes are called '{}'", origin, name);
    }
  }
}

Subset::Subset(DatasetPtr dataset, std::vector<int64_t> indices)
    : dataset_(std::move(dataset)), indices_(std::move(indices)) {
  for (const int64_t index : indices_) require_index(index, dataset_->size());
}

Sample Subset::get(int64_t index) const {
  require_index(index, size());
  return dataset_->get(indices_[static_cast<size_t>(index)]);
}

std::vector<int64_t> Subset::labels_of(int64_t index) const {
  require_index(index, size());
  return dataset_->labels_of(indices_[static_cast<size_t>(index)]);
}

ImageBlock::ImageBlock(DatasetInfo info, const at::Tensor& images, std::vector<int64_t> labels,
                       const std::string& origin)
    : info_(std::move(info)), labels_(std::move(labels)) {
  require_class_names(info_.class_names, origin);
  const auto count = static_cast<int64_t>(labels_.size());
  const std::vector<int64_t> expected = {count, info_.channels, info_.height, info_.width};
  if (images.sizes() != at::IntArrayRef(expected)) {
    throw_error<DataError>("{}: expected images {}, found {}", origin, shape_text(expected),
                           shape_text(images.sizes()));
  }
  if (images.scalar_type() != at::kByte) {
    throw_error<DataError>("{}: expected images of type uint8, found {}", origin,
                           at::toString(images.scalar_type()));
  }
  const auto classes = static_cast<int64_t>(info_.class_names.size());
  for (size_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i] < 0 || labels_[i] >= classes) {
      throw_error<DataError>("{}: label of image {}: expected 0 to {}, found {}", origin, i,
                             classes - 1, labels_[i]);
    }
  }
  images_ = images.contiguous();
}

Sample ImageBlock::get(int64_t index) const {
  require_index(index, size());
  return {
      .image = images_.select(0, index), .label = labels_[static_cast<size_t>(index)], .mask = {}};
}

std::vector<int64_t> ImageBlock::labels_of(int64_t index) const {
  require_index(index, size());
  return {labels_[static_cast<size_t>(index)]};
}

MaskBlock::MaskBlock(DatasetInfo info, const at::Tensor& images, const at::Tensor& masks,
                     const std::string& origin)
    : info_(std::move(info)), images_(images.contiguous()), masks_(masks.contiguous()) {
  require_class_names(info_.class_names, origin);
  const bool fits = images_.dim() == 4 && masks_.dim() == 3 && images_.size(0) == masks_.size(0) &&
                    images_.size(1) == info_.channels &&
                    images_.sizes().slice(2) == masks_.sizes().slice(1) &&
                    images_.scalar_type() == at::kByte && masks_.scalar_type() == at::kByte;
  if (!fits) {
    throw_error<DataError>("{}: images {} and masks {} do not match", origin,
                           shape_text(images_.sizes()), shape_text(masks_.sizes()));
  }
  const auto classes = static_cast<int64_t>(info_.class_names.size());
  for (int64_t i = 0; i < masks_.size(0); ++i) {
    auto labels = labels_in(masks_.select(0, i));
    std::erase_if(labels, [](int64_t label) { return label == 0 || label == kVoid; });
    if (!labels.empty() && labels.back() >= classes) {
      throw_error<DataError>("{}: mask {}: expected labels from 0 to {}, found {}", origin, i,
                             classes - 1, labels.back());
    }
    labels_.push_back(std::move(labels));
  }
}

Sample MaskBlock::get(int64_t index) const {
  require_index(index, size());
  return {.image = images_.select(0, index), .label = -1, .mask = masks_.select(0, index)};
}

std::vector<int64_t> MaskBlock::labels_of(int64_t index) const {
  require_index(index, size());
  return labels_[static_cast<size_t>(index)];
}

std::vector<int64_t> labels_in(const at::Tensor& mask) {
  std::array<bool, 256> present{};
  const auto* pixel = mask.data_ptr<uint8_t>();
  for (int64_t i = 0; i < mask.numel(); ++i) present[pixel[i]] = true;
  std::vector<int64_t> labels;
  for (size_t label = 0; label < present.size(); ++label) {
    if (present[label]) labels.push_back(static_cast<int64_t>(label));
  }
  return labels;
}

}  // namespace lethe
