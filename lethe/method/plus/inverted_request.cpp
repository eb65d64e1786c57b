#include "lethe/method/plus/inverted_request.h"

#include "lethe/core/log.h"
#include "lethe/core/text.h"
#include "lethe/method/class_loss.h"
#include "lethe/method/head_distillation.h"
#include "lethe/method/statistics_keeper.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

// The classes that compete with a class: those of its head, or all.
ClassSet competitors(const Task& task, const Network& network, ClassId id) {
  const auto alive = ClassSet::range(0, network.num_classes()) - network.erased();
  if (task.scenario == Scenario::kClass) return alive;
  for (const auto& head : network.heads()) {
    const auto own = ClassSet::range(head.first, head.count);
    if (own.contains(id)) return own & alive;
  }
  return alive;
}

// The highest of some columns of each row of the logits.
at::Tensor best_of(const at::Tensor& logits, const ClassSet& columns) {
  const auto ids = at::tensor(columns.ids(), at::TensorOptions(at::kLong).device(logits.device()));
  return ids.index_select(0, logits.index_select(1, ids).argmax(1));
}

// Positions of `count` images, drawn with replacement from [first, end).
void draw(Random& random, int64_t count, int64_t first, int64_t end, std::vector<int64_t>& drawn) {
  for (int64_t i = 0; i < count; ++i) drawn.push_back(first + random.below(end - first));
}

}  // namespace

RequestSettings InvertedRequest::request_settings() const {
  return {.steps = options_.steps, .lr = options_.lr, .clip_norm = options_.clip_norm};
}

InversionOptions InvertedRequest::inversion_options() const {
  return {.steps = options_.inversion_steps,
          .lr = options_.inversion_lr,
          .spread = options_.spread,
          .ridge = options_.ridge,
          .class_weight = options_.class_weight,
          .smooth_weight = options_.smooth_weight,
          .class_loss = class_loss_.margin_options()};
}

void InvertedRequest::begin_task(const Task& task, Learner& learner) {
  images_.reset();
  const auto known = statistics_->classes();
  if (task.has_images() || learner.old == nullptr || learner.info == nullptr) return;
  if ((task.forgotten & known).empty() || (task.kept & known).empty()) return;
  images_ = make_images(task, learner);
}

InvertedRequest::Images InvertedRequest::make_images(const Task& task, Learner& learner) const {
  auto& old = *learner.old;
  const auto known = statistics_->classes();
  const auto forgotten = task.forgotten & known;
  const auto kept = task.kept & known;
  std::vector<InversionClass> classes;
  Images made;
  for (const ClassId id : forgotten) {
    classes.push_back({id, options_.images_forgotten, competitors(task, old, id)});
    made.forgotten += options_.images_forgotten;
  }
  for (const ClassId id : kept)
    classes.push_back({id, options_.images_kept, competitors(task, old, id)});
  const auto options = inversion_options();
  const auto goal = inversion_goal(classes, *statistics_, old.num_classes(), learner.seed, options);
  log_info("making {} of {} by inversion of the old model", counted(goal.classes.size(0), "image"),
           counted(static_cast<int64_t>(classes.size()), "class", "classes"));
  made.images = invert(old, goal, *learner.info, learner.seed, options);

  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> logits, labels;
  int64_t first = 0;
  for (const auto& one : classes) {
    const auto features = old.forward(made.images.narrow(0, first, one.count)).features;
    logits.push_back(old.logits_of(teacher_->erased(features)));
    const auto within_head = one.columns & task.kept;
    labels.push_back(kept.contains(one.id)
                         ? at::full({one.count}, one.id,
                                    at::TensorOptions(at::kLong).device(made.images.device()))
                         : best_of(logits.back(), within_head.empty() ? task.kept : within_head));
    first += one.count;
  }
  made.teacher = at::cat(logits);
  made.labels = at::cat(labels);
  return made;
}

LossTerms InvertedRequest::losses(Step& step) {
  if (!images_ || step.task().has_images()) return {};
  const auto& all = *images_;
  auto random = step.random(Purpose::kInversionDraw);
  std::vector<int64_t> drawn;
  draw(random, options_.batch, 0, all.forgotten, drawn);
  draw(random, options_.batch, all.forgotten, all.images.size(0), drawn);
  const auto rows = at::tensor(drawn, at::kLong).to(all.images.device());
  const auto labels = all.labels.index_select(0, rows);
  const auto teacher = all.teacher.index_select(0, rows);
  // One pass: with running statistics the images do not depend on each other.
  const auto& logits = step.student(all.images.index_select(0, rows), Statistics::kRunning).logits;

  const auto part = [&](const at::Tensor& values, bool forgotten) {
    return values.narrow(0, forgotten ? 0 : options_.batch, options_.batch);
  };
  HeadDistillationOptions distil = {.temperature = lwf_.temperature,
                                    .low_score = lwf_.forgotten_score};
  HeadDistillation kept, forgotten;
  add_head_distillation(step, part(logits, false), part(teacher, false), distil, kept);
  distil.lowers = true;
  add_head_distillation(step, part(logits, true), part(teacher, true), distil, forgotten);
  const auto margin = class_loss_.margin_options();
  const double square = class_loss_.scale * lwf_.temperature;
  const double weight = options_.w_forgotten * lwf_.lambda * square * square;
  return {{"kept_ce", batch_loss(step, part(logits, false), part(labels, false), margin),
           options_.w_kept},
          {"kept_lwf", kept.kept, options_.w_kept * square * square},
          {"forgotten_lwf", forgotten.kept, weight},
          {"forgotten_uniform", forgotten.forgotten, weight},
          {"forgotten_move", batch_loss(step, part(logits, true), part(labels, true), margin),
           options_.w_move}};
}

PartRecipe inverted_request_part() {
  auto part = make_part<ClassLossOptions, LwfOptions, PlusOptions>(
      "request", [](const OptionGroups& o, SharedObjects& shared) {
        return std::make_unique<InvertedRequest>(o.get<PlusOptions>(), o.get<LwfOptions>(),
                                                 o.get<ClassLossOptions>(), shared.teacher,
                                                 statistics_of(shared));
      });
  part.without_images = always(WithoutImages::kStatistics);
  part.after_first_task = true;
  return part;
}

}  // namespace lethe
