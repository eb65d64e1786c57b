// Mnemonic codes (specification 5.7): one random block image per class, made once and never
// trained. Mixed into the images of its class while that is learned, a code calls the class back
// later, without its images.
//
// A CodeBook is shared by the parts of a method: what it hands out in a step is made once, so that
// parts that ask for the same input share its passes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lethe/core/config.h"
#include "lethe/core/state_dict.h"
#include "lethe/method/method.h"

namespace lethe {

// [method.code]
struct CodeOptions {
  static constexpr const char* kSection = "code";
  std::optional<int64_t> grid;  // blocks a side; not set = 8, from 128 pixels on 14
  std::optional<double> scale;  // factor on the values; not set: 0.1 for cub200 and cars, else 1
  double mix_weight = 1.0;      // of the loss on images that codes are mixed into (L_M)
  std::string scale_stage = "auto";  // "before" normalisation or "after" it
  std::string bn = "batch";          // statistics of a pass of codes
  std::optional<bool> bn_update;     // bn = batch: whether the running ones are updated
  bool per_task = false;             // B kept codes per old task instead of B in total

  void resolve(const DatasetInfo& info);
};
Fields config_fields(CodeOptions& options);

// lambda x + (1 - lambda) code, lambda [B] per sample.
at::Tensor mix(const at::Tensor& images, const at::Tensor& codes, const at::Tensor& lambda);

class CodeBook {
 public:
  // Inputs for one pass, and what they stand for.
  struct Draw {
    at::Tensor inputs;   // [n, C, H, W]; undefined if there is no code to draw
    at::Tensor classes;  // int64 [n]
    at::Tensor weights;  // [n] how often each was drawn; undefined = once each
    Statistics statistics = Statistics::kBatch;

    at::Tensor times() const;                  // weights, ones where undefined: float [n]
    at::Tensor is_of(const Head& head) const;  // whose class the head has: bool [n]
  };

  explicit CodeBook(const CodeOptions& options) : options_(options) {}
  const CodeOptions& options() const { return options_; }

  // Makes the codes of the task's new classes.
  void begin_task(const Task& task, const Learner& learner);

  // The batch with the codes of its classes mixed in, lambda ~ U[0, 1] per sample. Masks: into the
  // pixels of the task's new classes, each place with what the code has there.
  const at::Tensor& mixed(Step& step);

  // Codes of kept old classes: one draw of B over all old tasks, or one per old task. A step
  // without images draws every code once, with the running statistics.
  const std::vector<Draw>& kept(Step& step);

  // Codes of forgotten classes, B in total. mix > 0: lambda x + (1 - lambda) code with lambda ~
  // U[0, mix] and x the images of the batch.
  const Draw& forgotten(Step& step, double mix = 0);

  // What of the options acts on the images that codes are mixed into.
  std::string first_task_key() const;

  bool has(ClassId id) const;
  at::Tensor images_of(const std::vector<ClassId>& classes) const;  // [n, C, H, W]

  int64_t bytes_of(ClassId id) const;
  void purge(const ClassSet& classes);
  StateDict state() const;
  void load(const StateDict& state);

 private:
  at::Tensor mix_pixels(const Batch& batch, const ClassSet& classes,
                        const at::Tensor& lambda) const;
  void start(Step& step);  // forgets the inputs of another step
  std::vector<ClassId> with_code(const ClassSet& classes) const;
  Draw draw(Step& step, const std::vector<ClassId>& classes, uint32_t which) const;
  Statistics statistics(int64_t distinct) const;
  void render();

  CodeOptions options_;
  at::Tensor grids_;   // uint8 [K, C, g, g]
  at::Tensor images_;  // float [K, C, H, W] on the network's device, normalised
  std::vector<bool> has_;
  DatasetInfo info_;
  at::Device device_ = at::kCPU;

  int64_t step_ = -1, part_ = 0;  // that the inputs below belong to
  at::Tensor mixed_;
  std::optional<std::vector<Draw>> kept_;
  std::optional<Draw> forgotten_;
};

}  // namespace lethe
