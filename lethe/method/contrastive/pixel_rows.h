// The contrastive terms of segmentation (specification 5.14.3): every position of the feature map
// is a row, its class the pseudo label; old classes that the new images show take part as they are.
#pragma once

#include <map>

#include "lethe/features/pixels.h"
#include "lethe/method/contrastive/contrastive.h"

namespace lethe {

class PixelContrastive : public Contrastive {
 public:
  explicit PixelContrastive(const ContrastiveOptions& options) : Contrastive(options) {}

  void begin_task(const Task& task, Learner& learner) override;
  void end_task(const Task& task, Learner& learner) override;
  std::vector<std::string> remarks(const Task& task, const TaskPlan& plan) const override;
  StateDict state() const override;
  void load(const StateDict& state) override;
  std::vector<StateEntry> state_of(ClassId id) const override;
  void purge(const ClassSet& classes) override;
  std::string first_task_key() const override;

 protected:
  void update_prototypes(Step& step) override;
  std::optional<Observed> observe(Step& step) override;
  // Forgotten pixels are gathered before they are projected, unless a projection needs their
  // neighbours.
  at::Tensor dispersion(Step& step, const ClassGroups& forgotten) override;
  ClassSet ground() const override { return {0}; }

 private:
  // Pseudo labels at the positions of the feature map.
  at::Tensor labels_of(Step& step) const;
  at::Tensor map_of(Step& step) const;
  bool has_running_spaces() const;
  void log_forgotten(Step& step, const at::Tensor& labels);

  std::map<size_t, PrototypeBank> spaces_;  // proj_prototype = running: F* and F**
  std::map<ClassId, std::string> names_;    // of forgotten classes, for the log
  at::Tensor seen_;  // positions of every class in this task so far; undefined between tasks
};

}  // namespace lethe
