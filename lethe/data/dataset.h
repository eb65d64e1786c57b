// A Dataset is an indexed list of labelled images, read from files or generated. It does not depend
// on tasks or augmentation. Labels use the dataset's numbering; the task plan maps them to class
// ids, numbered in stream order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lethe/core/problem.h"

namespace lethe {

// Segmentation: which images a task trains on, and how the pixels of other classes are labelled
// (specification 2.3).
enum class SegSetup {
  kOverlapped,  // images that contain a new class; all other classes are background
  kDisjoint,    // as kOverlapped, but without images that contain a class not seen yet
  kSequential,  // images as in kDisjoint; old classes keep their labels
};

struct MaskRules {
  SegSetup setup = SegSetup::kOverlapped;
  // In training, void pixels are background (true: MiB, SDR) or ignored (false).
  bool void_is_background = false;
};

struct DatasetInfo {
  std::string name;
  Problem problem = Problem::kImages;
  std::vector<std::string> class_names;  // by label; segmentation: label 0 is background
  int64_t channels = 3;
  int64_t height = 0;  // network input size
  int64_t width = 0;
  std::vector<double> mean;  // per channel, for values in [0, 1]
  std::vector<double> std;
  MaskRules mask_rules = {};  // segmentation: data.seg_setup and data.void_train
  bool has_saliency = false;  // every sample has a saliency map
};

struct Sample {
  at::Tensor image;          // uint8 [C, H, W]; Transform resizes it to the size in info
  int64_t label = -1;        // classification
  at::Tensor mask;           // segmentation: uint8 [H, W], 255 = void; otherwise undefined
  at::Tensor saliency = {};  // uint8 [H, W], > 0 = salient; undefined without saliency maps
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

// Throws DataError, naming origin, if a class name is empty or not unique: requests refer to
// classes by name.
void require_class_names(const std::vector<std::string>& names, const std::string& origin);

// A subset of another dataset, in the given order.
class Subset : public Dataset {
 public:
  // Every index must be in range.
  Subset(DatasetPtr dataset, std::vector<int64_t> indices);

  const DatasetInfo& info() const override { return dataset_->info(); }
  int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
  Sample get(int64_t index) const override;
  std::vector<int64_t> labels_of(int64_t index) const override;

 private:
  DatasetPtr dataset_;
  std::vector<int64_t> indices_;
};

// Classification images of one size, stored in one uint8 tensor. All small datasets are loaded into
// this form.
class ImageBlock : public Dataset {
 public:
  // images: uint8 [N, C, H, W] with C, H, W as in info; labels: N numbers below class_names.size().
  // Throws DataError, naming origin, if they are inconsistent.
  ImageBlock(DatasetInfo info, const at::Tensor& images, std::vector<int64_t> labels,
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

// The same for images with masks.
class MaskBlock : public Dataset {
 public:
  // images: as in ImageBlock; masks: uint8 [N, H, W] with labels below class_names.size(), or 255.
  // Throws DataError, naming origin, if they are inconsistent.
  MaskBlock(DatasetInfo info, const at::Tensor& images, const at::Tensor& masks,
            const std::string& origin);

  const DatasetInfo& info() const override { return info_; }
  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  Sample get(int64_t index) const override;
  std::vector<int64_t> labels_of(int64_t index) const override;

 private:
  DatasetInfo info_;
  at::Tensor images_;
  at::Tensor masks_;
  std::vector<std::vector<int64_t>> labels_;  // by sample
};

// The labels that occur in a mask (uint8, contiguous), in ascending order, including background and
// void.
std::vector<int64_t> labels_in(const at::Tensor& mask);

// The splits of a dataset. val is null unless a fraction of the training images is held out.
struct DataSplits {
  DatasetPtr train;
  DatasetPtr val;
  DatasetPtr test;
};

}  // namespace lethe
