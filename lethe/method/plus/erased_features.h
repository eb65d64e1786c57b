// The part of contrastive+ that acts while a task is learned: it prepares the erased teacher, which
// later parts distil from, and pulls the features towards those of the teacher.
//
//   lambda_f mean_j (f_j - E(f_old)_j)^2 / (W_jj + 1e-3)
//
// Without a forgotten class that has statistics, the teacher is the old model, and there is no
// term.
#pragma once

#include <memory>

#include "lethe/method/method.h"
#include "lethe/method/part_recipe.h"
#include "lethe/method/plus/erased_teacher.h"
#include "lethe/method/plus/plus_options.h"

namespace lethe {

class ErasedFeatures : public Method {
 public:
  ErasedFeatures(const PlusOptions& options, std::shared_ptr<ErasedTeacher> teacher,
                 std::shared_ptr<ClassStatistics> statistics)
      : options_(options), teacher_(std::move(teacher)), statistics_(std::move(statistics)) {}

  void begin_task(const Task& task, Learner& learner) override;
  LossTerms losses(Step& step) override;
  void end_task(const Task&, Learner&) override { teacher_->clear(); }
  void purge(const ClassSet&) override { teacher_->clear(); }
  std::vector<std::string> remarks(const Task& task, const TaskPlan& plan) const override;
  bool uses_forget_set() const override { return true; }

 private:
  PlusOptions options_;
  std::shared_ptr<ErasedTeacher> teacher_;
  std::shared_ptr<ClassStatistics> statistics_;
};

// Makes the teacher; parts that distil from it come later.
PartRecipe erased_features_part();

}  // namespace lethe
