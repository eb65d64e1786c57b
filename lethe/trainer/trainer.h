// The training loop: tasks, epochs, steps. Only the trainer steps the optimiser and writes
// checkpoints. Other components are notified through Listener.
//
//   Trainer trainer(options, eval, parts, {&recorder, &progress});
//   trainer.resume();   // if there is a checkpoint
//   trainer.run();
//
// With the same options, seed and thread count, results are bit-identical, whether or not the run
// was interrupted.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lethe/core/stopwatch.h"
#include "lethe/data/loader.h"
#include "lethe/data/transform.h"
#include "lethe/method/method.h"
#include "lethe/model/network.h"
#include "lethe/stream/task_plan.h"
#include "lethe/trainer/checkpoint.h"
#include "lethe/trainer/events.h"
#include "lethe/trainer/loss_scaler.h"
#include "lethe/trainer/options.h"
#include "lethe/trainer/schedule.h"
#include "lethe/trainer/sgd.h"

namespace lethe {

// The decision at the end of an event.
struct Closing {
  ClassSet erase;       // classes to erase from the model and from the state of the method
  bool reject = false;  // do not make it a version of the run: keep it as the candidate
};

// The components of a run. References must outlive the trainer.
struct TrainerParts {
  const TaskPlan& plan;
  DatasetPtr train;
  DatasetPtr eval;  // test images, or held-out training images
  Augmentation augmentation;
  std::shared_ptr<Network> network;  // without heads; already on the training device
  Method& method;
  int loader_threads = 1;
  std::filesystem::path run;  // the run directory; empty = no checkpoints
  NormMode norm = {};         // batch norm in the first task
  NormMode norm_next = {};    // batch norm in later tasks
  // Images of kept classes for an event that only forgets; null = none.
  DatasetPtr kept_images = nullptr;
  // Images without labels for the same event; they get the labels that the model predicts.
  DatasetPtr unlabelled = nullptr;
  // Called at the end of every event, after its evaluation. Not set = nothing is erased.
  std::function<Closing(const TaskDone&)> close = {};
};

class Trainer {
 public:
  // lr, lr_next, schedule and warmup_epochs of options must be resolved.
  Trainer(const TrainOptions& options, const EvalOptions& eval, TrainerParts parts,
          std::vector<Listener*> listeners);
  ~Trainer();

  // Loads the newest checkpoint of the run directory; returns false if there is none. Throws
  // DataError if it is damaged.
  bool resume();

  // Runs all remaining events, or until an event is rejected. If a stop is requested, writes a
  // checkpoint and throws Interrupted. Throws Error if a loss is not finite.
  // most: the largest number of events to run.
  void run(int64_t most = INT64_MAX);

  bool finished() const;
  // Whether the last event was rejected. Its model is in candidate_folder().
  bool rejected() const { return rejected_; }
  const Position& position() const { return position_; }

  std::vector<int64_t> steps_per_task() const;  // 0 for tasks that are done

  // Adds a listener that needs a reference to the trainer. Call before resume() and run().
  void add(Listener& listener);

 private:
  void resume_from(const std::filesystem::path& checkpoint);
  void start_task(const Task& task);
  void train_task(const Task& task);
  void train_epoch(const Task& task);
  void train_request(const Task& task);
  int64_t run_epoch() const;
  Loader loader_of(const Task& task, uint32_t epoch, int64_t first_batch, bool drop_last) const;
  void visit_task(const std::function<void(const Batch&)>& visit);
  void seed_torch(uint32_t address) const;
  std::vector<SgdParameter> thawed_parameters();
  int64_t epochs_of(const Task& task) const;
  StateDict optimizer_state() const;
  void measure_shares(const LossTerms& terms, StepDone& done);
  void start_purge(const Task& task);
  void end_task(const Task& task);
  // Erases the classes, then writes the version and completes the event.
  void write_version(const Task& task, TaskDone done, const ClassSet& to_erase);
  bool step(const Task& task, const Batch& batch);  // false: the method had nothing to do
  EvaluateOptions evaluate_options() const;
  Evaluation evaluate_now(const Task& task);
  Evaluation evaluate_or_save(const Task& task);  // writes a partial checkpoint if interrupted
  std::vector<ErasedClass> erase(const ClassSet& classes);
  void write_candidate(const Task& task);
  DatasetPtr images_of(const Task& task) const;
  void label_images(const Task& task);
  void start_clock();
  std::map<std::string, double> phase_seconds() const;  // since start_clock; "epoch" is the total
  void stop_if_asked();
  void save_partial_if_due();
  void save_partial();
  nlohmann::json state_json(const Position& position);
  void restore_listeners(const nlohmann::json& state);
  ScheduleLength length_of(const Task& task, int64_t images) const;
  std::vector<int64_t> samples_of(const Task& task) const;
  Learner learner();
  // The options with the settings for a request without images, if the event is one.
  TrainOptions options_of(const Task& task) const;
  double base_rate() const;  // base learning rate of the current task
  SgdOptions sgd_options() const;
  template <typename Event>
  void emit(const Event& event);

  TrainOptions options_;
  TrainOptions event_options_;  // of the current event
  EvalOptions eval_options_;
  TrainerParts parts_;
  std::vector<Listener*> listeners_;

  Position position_;
  std::shared_ptr<Network> old_;
  std::unique_ptr<Sgd> optimizer_;
  std::optional<LossScaler> scaler_;  // only in mixed precision
  std::vector<at::Tensor> frozen_;    // parameters frozen by the method in the current task
  std::string model_before_;          // hash of the model at the end of the previous task
  ClassSet erased_;                   // by earlier events
  bool rejected_ = false;
  std::optional<Checkpoint> partial_;  // read by resume(), consumed by start_task()
  Stopwatch watch_;
  std::chrono::steady_clock::time_point last_save_, step_start_, epoch_start_;
  std::vector<int64_t> samples_;  // of the current task
  DatasetPtr labelled_;           // kept images and, with predicted labels, the unlabelled ones
  ScheduleLength length_;         // of the current task
};

}  // namespace lethe
