// A Dataset is a numbered list of images with labels, as files (or a generator) give them: no
// tasks, no augmentation. Labels here are the data set's own numbers; the task plan translates them
// into stream order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lethe {

enum class TaskKind { kClassification, kSegmentation };

struct DatasetInfo {
  std::string name;
  TaskKind kind = TaskKind::kClassification;
  std::vector<std::string> class_names;  // by label; segmentation: label 0 is background
  int64_t channels = 3;
  int64_t height = 0;  // of every image as the network sees it
  int64_t width = 0;
  std::vector<double> mean;  // per channel, of values in [0, 1]
  std::vector<double> std;
};

struct Sample {
  at::Tensor image;    // uint8 [C, H, W]; Transform brings another size to that of info
  int64_t label = -1;  // classification
  at::Tensor mask;     // segmentation: uint8 [H, W], 255 = void; else undefined
};

// Read-only after construction; every member may be called from several threads at once.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual const DatasetInfo& info() const = 0;
  virtual int64_t size() const = 0;
  virtual Sample get(int64_t index) const = 0;

  // Labels that occur in the sample, ascending, without background and void. Does not decode the
  // image.
  virtual std::vector<int64_t> labels_of(int64_t index) const = 0;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

// Classes are asked for by name: throws DataError, naming origin, if one has none or two have the
// same.
void require_class_names(const std::vector<std::string>& names, const std::string& origin);

// Some of another data set's samples, in the given order.
class Subset : public Dataset {
 public:
  // Every index must be within dataset.
  Subset(DatasetPtr dataset, std::vector<int64_t> indices);

  const DatasetInfo& info() const override { return dataset_->info(); }
  int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
  Sample get(int64_t index) const override;
  std::vector<int64_t> labels_of(int64_t index) const override;

 private:
  DatasetPtr dataset_;
  std::vector<int64_t> indices_;
};

// Classification images of one size, held as one block of uint8: what every small set becomes after
// reading.
class ImageBlock : public Dataset {
 public:
  // images: uint8 [N, C, H, W] with C, H, W as in info; labels: N numbers below class_names.size().
  // Throws DataError, naming origin, if they do not fit each other.
  ImageBlock(DatasetInfo info, at::Tensor images, std::vector<int64_t> labels,
             const std::string& origin);

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  Sample get(int64_t index) const override;
  std::vector<int64_t> labels_of(int64_t index) const override;

 private:
  DatasetInfo info_;
  at::Tensor images_;
  std::vector<int64_t> labels_;
};

// The parts of a data set. val is null unless a fraction of the training images is held out.
struct DataSplits {
  DatasetPtr train;
  DatasetPtr val;
  DatasetPtr test;
};

}  // namespace lethe
