// What the checks of an audit work on: the same rows through every model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lethe/audit/feature_figures.h"
#include "lethe/audit/rows.h"
#include "lethe/audit/subject.h"

namespace lethe {

// A model that is measured.
struct AuditModel {
  std::string name;  // "oracle 1"
  std::shared_ptr<Network> network;
  std::vector<int64_t> column;  // by class of the audited run: its logit; -1 = it has none
};

// A model and what it makes of the rows.
class MeasuredModel {
 public:
  // Runs the model on both sets of rows. All arguments but the model must outlive this object.
  MeasuredModel(AuditModel model, const Truth& truth, const Rows& fit, const Rows& test,
                const RowOptions& options);

  const AuditModel& model() const { return model_; }
  const Embedding& fit() const { return fit_; }
  const Embedding& test() const { return test_; }
  int64_t stages() const { return static_cast<int64_t>(figures_.size()); }
  StageFigures& stage(int64_t number) { return figures_.at(static_cast<size_t>(number)); }
  StageFigures& last_stage() { return figures_.back(); }

  // Scores of some classes: float [n, classes]; a class without output has kErasedLogit.
  static at::Tensor scores(const AuditModel& model, const at::Tensor& logits,
                           const ClassSet& classes);

 private:
  AuditModel model_;
  Embedding fit_, test_;
  std::vector<StageFigures> figures_;
};

struct Material {
  const TaskPlan& plan;
  const Subject& subject;
  ClassSet forgotten;  // learned once and forgotten, with enough rows
  ClassSet kept;       // with enough rows
  Truth truth;
  Rows fit, test;
  bool fit_is_training = true;  // false: half of the test images, because training images are gone
  double scale = 1;             // of logits, for probabilities
  std::unique_ptr<MeasuredModel> model;
  std::vector<std::unique_ptr<MeasuredModel>> oracles;
  std::unique_ptr<MeasuredModel> start;   // null: not measured
  std::unique_ptr<MeasuredModel> before;  // null: purged
  std::unique_ptr<StageFigures> pixels;

  // The classes that a class is compared with: those of its task that the version has seen, or all
  // if it is alone there.
  ClassSet rivals(ClassId id) const;
  std::string unit() const;  // "images" or "pixels"
};

}  // namespace lethe
