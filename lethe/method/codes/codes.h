// Mnemonic codes (specification 5.7): one image of blocks with random values per class, made once
// and never trained. A code is mixed into the images of its class while the class is learned. Later
// it represents the class; images of the class are not needed.
//
// A CodeBook is shared by the parts of a method. It creates the network inputs once per step, so
// parts that ask for the same input share the forward pass.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/core/state_dict.h"
#include "lethe/method/method.h"

namespace lethe {

enum class ScaleStage { kBeforeNormalisation, kAfterNormalisation };

// Where the random values of a code come from.
enum class CodeSalt {
  kSeed,    // train.seed and the class: whoever knows the configuration can make the code again
  kRandom,  // the system's random numbers: the code exists only in the state of the method
};

// Batch-norm statistics for code passes.
enum class CodeStatistics {
  kAuto,  // kBatch if there are enough distinct codes, else kRunning
  kBatch,
  kRunning,  // each distinct code is passed through the network once
};

// The settings of the codes, with all values resolved.
struct CodeSettings {
  int64_t grid = 8;    // blocks per side
  double scale = 1.0;  // factor on the values
  ScaleStage scale_stage = ScaleStage::kBeforeNormalisation;
  double mix_weight = 1.0;    // weight of the loss on mixed images (L_M)
  double mix_fraction = 1.0;  // part of a batch that is mixed
  double mix_from = 0.0;      // share of a task's epochs before images are mixed
  CodeStatistics bn = CodeStatistics::kBatch;
  CodeStatistics bn_forgotten = CodeStatistics::kRunning;  // of passes over forgotten codes alone
  bool bn_update = false;      // bn = batch: whether to update the running statistics
  bool mix_bn_update = false;  // the same for passes over mixed images
  bool per_task = false;  // draw a batch of codes of kept classes per old task, not one in total
  CodeSalt salt = CodeSalt::kSeed;
};

// [method.code]: the same settings before resolve(). Values that are not set depend on the dataset.
struct CodeOptions {
  static constexpr const char* kSection = "code";
  std::optional<int64_t> grid;            // not set: 8, or 14 for inputs of 128 pixels or more
  std::optional<double> scale;            // not set: 0.1 for cub200 and cars, else 1
  std::optional<ScaleStage> scale_stage;  // not set: after for cub200, else before
  double mix_weight = 1.0;
  double mix_fraction = 1.0;
  double mix_from = 0.0;
  CodeStatistics bn = CodeStatistics::kBatch;
  CodeStatistics bn_forgotten = CodeStatistics::kRunning;
  bool bn_update = false;
  std::optional<bool> mix_bn_update;  // not set: only for masks
  bool per_task = false;
  CodeSalt salt = CodeSalt::kSeed;

  void resolve(const DatasetInfo& info);
  CodeSettings settings() const;  // after resolve()
};
Fields config_fields(CodeOptions& options);

// lambda x + (1 - lambda) code, lambda [B] per sample.
at::Tensor mix(const at::Tensor& images, const at::Tensor& codes, const at::Tensor& lambda);

class CodeBook {
 public:
  // Inputs for one pass and the classes they represent.
  struct Draw {
    at::Tensor inputs;   // [n, C, H, W]; undefined if there is no code to draw
    at::Tensor classes;  // int64 [n]
    at::Tensor weights;  // [n] how often each code was drawn; undefined = once each
    Statistics statistics = Statistics::kBatch;

    at::Tensor times() const;                  // weights, or ones if undefined: float [n]
    at::Tensor is_of(const Head& head) const;  // whether each class belongs to head: bool [n]
  };

  explicit CodeBook(const CodeSettings& settings) : settings_(settings) {}
  const CodeSettings& settings() const { return settings_; }

  // Makes the codes of the task's new classes.
  void begin_task(const Task& task, const Learner& learner);

  // Images with the codes of their classes mixed in, and their labels.
  struct Mixed {
    at::Tensor images, labels;
    Statistics statistics = Statistics::kBatch;
  };
  // The first images of the batch (all, or mix_fraction of them), lambda ~ U[0, 1] per image.
  // Segmentation: only the pixels of the task's new classes are mixed, each with the code's value
  // at that position. In an event that only forgets, kept classes take the place of new ones. Null
  // if nothing is mixed in this step.
  const Mixed* mixed(Step& step);

  // Codes of kept old classes. A draw has as many codes as the batch has images; there is one draw
  // over all old tasks, or (per_task) one for each old task. A step without images draws every code
  // once, with the running statistics.
  const std::vector<Draw>& kept(Step& step);

  // Codes of forgotten classes: as many as the batch has images, or every code once in a step
  // without images. mix > 0: lambda x + (1 - lambda) code with lambda ~ U[0, mix] and x the images
  // of the batch.
  const Draw& forgotten(Step& step, double mix = 0);

  bool has(ClassId id) const;
  at::Tensor images_of(const std::vector<ClassId>& classes) const;  // [n, C, H, W]

  int64_t bytes_of(ClassId id) const;
  void purge(const ClassSet& classes);  // zeroes their codes
  StateDict state() const;
  void load(const StateDict& state);

 private:
  at::Tensor mix_pixels(const at::Tensor& images, const at::Tensor& labels, const ClassSet& classes,
                        const at::Tensor& lambda) const;
  void start(Step& step);  // discards the inputs of the previous step
  std::vector<ClassId> with_code(const ClassSet& classes) const;
  Draw draw(Step& step, const std::vector<ClassId>& classes, CodeStatistics choice,
            uint32_t which) const;
  Statistics statistics(CodeStatistics choice, int64_t distinct) const;
  void render();

  CodeSettings settings_;
  at::Tensor grids_;   // uint8 [K, C, g, g]
  at::Tensor images_;  // float [K, C, H, W] on the network's device, normalised
  std::vector<bool> has_;
  DatasetInfo info_;
  at::Device device_ = at::kCPU;

  int64_t step_ = -1, part_ = 0;  // the step and part that the inputs below belong to
  std::optional<Mixed> mixed_;
  std::optional<std::vector<Draw>> kept_;
  std::optional<Draw> forgotten_;
};

}  // namespace lethe
