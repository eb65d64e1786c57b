#include "lethe/data/relabelled.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "lethe/core/class_set.h"
#include "lethe/core/error.h"
#include "lethe/core/short_list.h"

namespace lethe {

namespace {

constexpr int64_t kUnlisted = -1;

// The new label of every label; kUnlisted if its class is not in the new list.
std::vector<int64_t> new_labels(const std::vector<std::string>& before,
                                const std::vector<std::string>& after) {
  std::map<std::string, int64_t> numbers;
  for (const auto& name : after) numbers.emplace(name, static_cast<int64_t>(numbers.size()));
  std::vector<int64_t> labels;
  for (const auto& name : before) {
    const auto found = numbers.find(name);
    labels.push_back(found == numbers.end() ? kUnlisted : found->second);
  }
  return labels;
}

class RelabelledImages : public Dataset {
 public:
  // dataset has only samples of classes with a new label.
  RelabelledImages(DatasetPtr dataset, DatasetInfo info, std::vector<int64_t> labels)
      : dataset_(std::move(dataset)), info_(std::move(info)), labels_(std::move(labels)) {}

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return dataset_->size(); }

  Sample get(int64_t index) const override {
    auto sample = dataset_->get(index);
    sample.label = labels_.at(static_cast<size_t>(sample.label));
    return sample;
  }

  std::vector<int64_t> labels_of(int64_t index) const override {
    auto labels = dataset_->labels_of(index);
    for (auto& label : labels) label = labels_.at(static_cast<size_t>(label));
    return labels;
  }

 private:
  DatasetPtr dataset_;
  DatasetInfo info_;
  std::vector<int64_t> labels_;  // new label by label
};

class WithLabels : public Dataset {
 public:
  WithLabels(DatasetPtr dataset, DatasetInfo info, std::vector<int64_t> labels)
      : dataset_(std::move(dataset)), info_(std::move(info)), labels_(std::move(labels)) {
    if (static_cast<int64_t>(labels_.size()) != dataset_->size())
      throw_error<Error>("{}: {} labels for {} samples", info_.name, labels_.size(),
                         dataset_->size());
  }

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return dataset_->size(); }

  Sample get(int64_t index) const override {
    auto sample = dataset_->get(index);
    sample.label = labels_.at(static_cast<size_t>(index));
    return sample;
  }

  std::vector<int64_t> labels_of(int64_t index) const override {
    return {labels_.at(static_cast<size_t>(index))};
  }

 private:
  DatasetPtr dataset_;
  DatasetInfo info_;
  std::vector<int64_t> labels_;  // by sample
};

class RelabelledMasks : public Dataset {
 public:
  RelabelledMasks(DatasetPtr dataset, DatasetInfo info, const std::vector<int64_t>& labels)
      : dataset_(std::move(dataset)), info_(std::move(info)) {
    if (info_.class_names.empty() || info_.class_names.size() > static_cast<size_t>(kVoid)) {
      throw_error<Error>("{}: expected background and at most 254 other classes, found {} names",
                         info_.name, info_.class_names.size());
    }
    table_.fill(static_cast<uint8_t>(kVoid));
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] != kUnlisted) table_.at(i) = static_cast<uint8_t>(labels[i]);
    }
    table_.front() = 0;
  }

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return dataset_->size(); }

  Sample get(int64_t index) const override {
    auto sample = dataset_->get(index);
    // A copy: the pixels of the dataset must not change.
    sample.mask = sample.mask.clone(at::MemoryFormat::Contiguous);
    auto* pixel = sample.mask.data_ptr<uint8_t>();
    std::transform(pixel, pixel + sample.mask.numel(), pixel,
                   [this](uint8_t label) { return table_[label]; });
    return sample;
  }

  std::vector<int64_t> labels_of(int64_t index) const override {
    auto labels = dataset_->labels_of(index);
    for (auto& label : labels) label = table_.at(static_cast<size_t>(label));
    std::erase_if(labels, [](int64_t label) { return label == 0 || label == kVoid; });
    std::sort(labels.begin(), labels.end());
    return labels;
  }

 private:
  DatasetPtr dataset_;
  DatasetInfo info_;
  std::array<uint8_t, 256> table_;  // new label by label
};

// Only the samples of classes with a new label.
DatasetPtr listed_only(DatasetPtr dataset, const std::vector<int64_t>& labels) {
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < dataset->size(); ++i) {
    const auto label = dataset->labels_of(i).front();
    if (labels.at(static_cast<size_t>(label)) != kUnlisted) kept.push_back(i);
  }
  if (static_cast<int64_t>(kept.size()) == dataset->size()) return dataset;
  return std::make_shared<Subset>(std::move(dataset), std::move(kept));
}

class Joined : public Dataset {
 public:
  explicit Joined(std::vector<DatasetPtr> datasets)
      : datasets_(std::move(datasets)), info_(datasets_.front()->info()) {
    for (const auto& dataset : datasets_) {
      info_.has_saliency = info_.has_saliency && dataset->info().has_saliency;
      size_ += dataset->size();
      ends_.push_back(size_);
    }
  }

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return size_; }

  Sample get(int64_t index) const override {
    const auto place = find(index);
    return place.dataset->get(place.index);
  }

  std::vector<int64_t> labels_of(int64_t index) const override {
    const auto place = find(index);
    return place.dataset->labels_of(place.index);
  }

 private:
  struct Place {
    const Dataset* dataset;
    int64_t index;
  };

  Place find(int64_t index) const {
    if (index < 0 || index >= size_)
      throw_error<Error>("sample {}: expected a number from 0 to {}", index, size_ - 1);
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), index);
    const auto& dataset = datasets_[static_cast<size_t>(end - ends_.begin())];
    return {.dataset = dataset.get(), .index = index - (*end - dataset->size())};
  }

  std::vector<DatasetPtr> datasets_;
  DatasetInfo info_;
  int64_t size_ = 0;
  std::vector<int64_t> ends_;  // by dataset: the number of samples up to its end
};

void require_same_kind(const DatasetInfo& first, const DatasetInfo& other) {
  if (first.problem != other.problem) {
    throw_error<Error>("{} and {} cannot be joined: one is for {}, the other for {}", first.name,
                       other.name, name_of(first.problem), name_of(other.problem));
  }
  if (first.channels != other.channels || first.height != other.height ||
      first.width != other.width) {
    throw_error<Error>("{} and {} cannot be joined: images of {} x {} x {} and {} x {} x {}",
                       first.name, other.name, first.channels, first.height, first.width,
                       other.channels, other.height, other.width);
  }
  if (first.class_names != other.class_names) {
    throw_error<Error>("{} and {} cannot be joined: their classes differ: {}; and {}", first.name,
                       other.name, short_list(first.class_names), short_list(other.class_names));
  }
}

}  // namespace

DatasetPtr relabelled(DatasetPtr dataset, const std::vector<std::string>& class_names) {
  if (!dataset || dataset->info().class_names == class_names) return dataset;
  require_class_names(class_names, dataset->info().name);
  auto labels = new_labels(dataset->info().class_names, class_names);
  auto info = dataset->info();
  info.class_names = class_names;
  if (info.problem == Problem::kMasks)
    return std::make_shared<RelabelledMasks>(std::move(dataset), std::move(info), labels);
  dataset = listed_only(std::move(dataset), labels);
  return std::make_shared<RelabelledImages>(std::move(dataset), std::move(info), std::move(labels));
}

DatasetPtr unlisted(const DatasetPtr& dataset, const std::vector<std::string>& class_names) {
  const auto labels = new_labels(dataset->info().class_names, class_names);
  std::vector<int64_t> others;
  for (int64_t i = 0; i < dataset->size(); ++i) {
    const auto label = dataset->labels_of(i).front();
    if (labels.at(static_cast<size_t>(label)) == kUnlisted) others.push_back(i);
  }
  if (others.empty()) return nullptr;
  auto info = dataset->info();
  info.class_names = class_names;
  std::vector<int64_t> zeros(others.size(), 0);
  return std::make_shared<WithLabels>(std::make_shared<Subset>(dataset, std::move(others)),
                                      std::move(info), std::move(zeros));
}

DatasetPtr with_labels(DatasetPtr dataset, std::vector<int64_t> labels) {
  auto info = dataset->info();
  return std::make_shared<WithLabels>(std::move(dataset), std::move(info), std::move(labels));
}

DatasetPtr joined(std::vector<DatasetPtr> datasets) {
  std::erase(datasets, nullptr);
  if (datasets.empty()) return nullptr;
  for (const auto& dataset : datasets) require_same_kind(datasets.front()->info(), dataset->info());
  if (datasets.size() == 1) return datasets.front();
  return std::make_shared<Joined>(std::move(datasets));
}

}  // namespace lethe
