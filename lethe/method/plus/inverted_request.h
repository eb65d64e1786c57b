// The part of contrastive+ that carries out a request without images (specification 5.16): images
// of forgotten and kept classes are made by inversion of the old model, and the student is trained
// on them with batch norm in evaluation mode. Images k of kept classes keep class and scores,
// images h of forgotten classes get the scores of the erased teacher:
//
//   w_kept [L_AM(k) + a^2 T^2 KD(k)] + w_forgotten lambda a^2 T^2 [KD(h) + U(h)]
//     + w_move L_AM(h, the teacher's best kept class)
//
// The images exist in memory only, from begin_task to end_task.
#pragma once

#include <memory>
#include <optional>

#include "lethe/method/finetune.h"
#include "lethe/method/lwf.h"
#include "lethe/method/method.h"
#include "lethe/method/part_recipe.h"
#include "lethe/method/plus/erased_teacher.h"
#include "lethe/method/plus/inversion.h"
#include "lethe/method/plus/plus_options.h"

namespace lethe {

class InvertedRequest : public Method {
 public:
  // The teacher must be prepared before begin_task.
  InvertedRequest(const PlusOptions& options, const LwfOptions& lwf,
                  const ClassLossOptions& class_loss, std::shared_ptr<ErasedTeacher> teacher,
                  std::shared_ptr<ClassStatistics> statistics)
      : options_(options),
        lwf_(lwf),
        class_loss_(class_loss),
        teacher_(std::move(teacher)),
        statistics_(std::move(statistics)) {}

  void begin_task(const Task& task, Learner& learner) override;
  LossTerms losses(Step& step) override;
  void end_task(const Task&, Learner&) override { images_.reset(); }
  RequestSettings request_settings() const override;
  void purge(const ClassSet&) override { images_.reset(); }
  bool uses_forget_set() const override { return true; }

 private:
  // Inverted images and what the old model says about them.
  struct Images {
    at::Tensor images;   // [n, C, H, W]: first those of forgotten classes, then the others
    at::Tensor labels;   // int64 [n]: the class, or the kept class that a forgotten one moves to
    at::Tensor teacher;  // [n, K] logits of the teacher
    int64_t forgotten = 0;
  };
  Images make_images(const Task& task, Learner& learner) const;
  InversionOptions inversion_options() const;

  PlusOptions options_;
  LwfOptions lwf_;
  ClassLossOptions class_loss_;
  std::shared_ptr<ErasedTeacher> teacher_;
  std::shared_ptr<ClassStatistics> statistics_;
  std::optional<Images> images_;
};

PartRecipe inverted_request_part();

}  // namespace lethe
