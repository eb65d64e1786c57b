#include "lethe/trainer/trainer.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/signals.h"
#include "lethe/data/relabelled.h"
#include "lethe/model/load_weights.h"
#include "lethe/model/torch.h"
#include "lethe/trainer/erased_rows.h"
#include "lethe/trainer/predicted_labels.h"
#include "lethe/trainer/step_record.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

json to_json(const Position& p) {
  return {{"task", p.task},
          {"epoch", p.epoch},
          {"batch", p.batch},
          {"task_step", p.task_step},
          {"step", p.step}};
}

Position to_position(const json& j) {
  return {.task = j.at("task"),
          .epoch = j.at("epoch"),
          .batch = j.at("batch"),
          .task_step = j.at("task_step"),
          .step = j.at("step")};
}

}  // namespace

Trainer::Trainer(const TrainOptions& options, const EvalOptions& eval, TrainerParts parts,
                 std::vector<Listener*> listeners)
    : options_(options),
      event_options_(options),
      eval_options_(eval),
      parts_(std::move(parts)),
      listeners_(std::move(listeners)),
      last_save_(Clock::now()) {}

Trainer::~Trainer() = default;

template <typename Event>
void Trainer::emit(const Event& event) {
  for (auto* listener : listeners_) listener->on(event);
}

Learner Trainer::learner() {
  return {.network = *parts_.network,
          .old = old_.get(),
          .plan = parts_.plan,
          .seed = static_cast<uint64_t>(options_.seed),
          .info = &parts_.train->info(),
          .stable_curvature = stable_curvature(sgd_options(), base_rate()),
          .each_batch = [this](const auto& visit) { visit_task(visit); }};
}

bool Trainer::finished() const {
  return position_.task > static_cast<int64_t>(parts_.plan.tasks().size());
}

std::vector<int64_t> Trainer::samples_of(const Task& task) const {
  if (!task.has_images()) return {};
  auto samples = parts_.plan.train_samples(*images_of(task), task);
  if (samples.empty() && task.learns()) parts_.plan.require_images(*parts_.train);  // throws
  if (samples.empty() && !parts_.unlabelled)
    throw DataError("no image shows a kept class without a forgotten one");
  return samples;
}

DatasetPtr Trainer::images_of(const Task& task) const {
  if (task.learns()) return parts_.train;
  return labelled_ ? labelled_ : parts_.kept_images;
}

void Trainer::label_images(const Task& task) {
  if (!task.on_kept_images || !parts_.unlabelled) return;
  labelled_ =
      joined({parts_.kept_images, with_predicted_labels(*parts_.network, parts_.unlabelled,
                                                        parts_.plan, task, evaluate_options())});
}

int64_t Trainer::epochs_of(const Task& task) const {
  return task.epochs.value_or(options_.epochs_of(task.number));
}

ScheduleLength Trainer::length_of(const Task& task, int64_t images) const {
  if (task.purges()) return {};
  if (!task.has_images()) {
    const int64_t steps = task.steps.value_or(options_of(task).request_steps.value());
    return {.iterations = steps, .per_epoch = steps};
  }
  const int64_t per_epoch = num_batches(images, options_.batch_size(), /*drop_last=*/true);
  int64_t iterations = per_epoch * epochs_of(task);
  if (options_.max_steps > 0) iterations = std::min(iterations, options_.max_steps);
  return {.iterations = iterations, .per_epoch = per_epoch};
}

std::vector<int64_t> Trainer::steps_per_task() const {
  std::vector<int64_t> steps;
  for (const auto& task : parts_.plan.tasks()) {
    if (task.number < position_.task) {
      steps.push_back(0);
      continue;
    }
    auto images = static_cast<int64_t>(samples_of(task).size());
    if (task.on_kept_images && parts_.unlabelled && !labelled_) images += parts_.unlabelled->size();
    steps.push_back(length_of(task, images).iterations);
  }
  return steps;
}

void Trainer::add(Listener& listener) { listeners_.push_back(&listener); }

// Resuming loads the end of the last finished task and starts the current task as it was started
// the first time (old model, new head, begin_task). Then it loads the partial checkpoint, if there
// is one.
bool Trainer::resume() {
  const auto newest = newest_checkpoint(parts_.run);
  if (!newest) return false;
  try {
    resume_from(*newest);
  } catch (const json::exception& error) {
    throw_error<DataError>("{}: is not a state written by this program: {}",
                           (*newest / "state.json").string(), error.what());
  }
  return true;
}

void Trainer::resume_from(const fs::path& newest) {
  Checkpoint checkpoint = read_checkpoint(newest);
  const Position position = to_position(checkpoint.state.at("position"));
  const bool within = checkpoint.state.at("within_task");
  const json state = checkpoint.state;
  const int64_t done = position.task - 1;
  std::optional<Checkpoint> last;
  if (!within) {
    last = std::move(checkpoint);
  } else {
    partial_ = std::move(checkpoint);
    if (done > 0) last = read_checkpoint(version_of(parts_.run, done));
  }
  if (last) {
    const auto folder = version_of(parts_.run, done);
    restore_network(*parts_.network, parts_.plan, done, static_cast<uint64_t>(options_.seed), *last,
                    folder.string());
    parts_.method.load(last->method);
    model_before_ = model_hash(folder);
    erased_ = erased_in(*last);
  }
  position_ = position;
  restore_listeners(state);
}

void Trainer::run(int64_t most) {
  for (; most > 0 && !finished() && !rejected_; --most) {
    const auto task = parts_.plan.task(position_.task).without(erased_);
    if (task.purges()) {
      start_purge(task);
    } else {
      start_task(task);
      train_task(task);
    }
    end_task(task);
  }
}

void Trainer::start_task(const Task& task) {
  event_options_ = options_of(task);
  label_images(task);
  samples_ = samples_of(task);
  length_ = length_of(task, static_cast<int64_t>(samples_.size()));
  old_ = task.number > 1 ? parts_.network->frozen_copy() : nullptr;
  if (task.learns()) {
    const auto device = parts_.network->device();
    parts_.network->add_classes(task.new_classes.size(), static_cast<uint64_t>(options_.seed));
    parts_.network->to(device);
  }
  for (auto& parameter : frozen_) parameter.set_requires_grad(true);
  frozen_.clear();
  parts_.network->set_batch_norm(task.number == 1 ? parts_.norm : parts_.norm_next);
  auto at_hand = learner();
  parts_.method.begin_task(task, at_hand);
  optimizer_ = std::make_unique<Sgd>(thawed_parameters(), sgd_options());
  if (options_.amp) scaler_.emplace();
  if (partial_) {
    const std::string origin = partial_folder(parts_.run).string();
    load_state(*parts_.network, partial_->model, origin);
    parts_.method.load(partial_->method);
    if (scaler_) scaler_->take(partial_->optimizer);
    optimizer_->load(partial_->optimizer);
    partial_.reset();
  }
  last_save_ = Clock::now();
  emit(TaskStarted{.task = task,
                   .images = static_cast<int64_t>(samples_.size()),
                   .steps = length_.iterations,
                   .first_step = position_.task_step});
}

// A purge trains nothing: no old model, no optimiser, and the method does not take part.
void Trainer::start_purge(const Task& task) {
  old_ = nullptr;
  optimizer_ = nullptr;
  samples_.clear();
  length_ = {};
  emit(TaskStarted{.task = task, .images = 0, .steps = 0, .first_step = 0});
}

TrainOptions Trainer::options_of(const Task& task) const {
  auto options = options_;
  if (task.has_images() || task.purges()) return options;
  const auto own = parts_.method.request_settings();
  if (!options.request_steps) options.request_steps = own.steps.value_or(kDefaultRequestSteps);
  if (!options.request_clip_norm) options.request_clip_norm = own.clip_norm;
  if (!options.request_lr) options.request_lr = own.lr;
  options.clip_norm = options.request_clip_norm.value_or(options.clip_norm);
  if (options.request_lr) {
    options.lr = options.lr_next = options.request_lr;
    options.schedule = "constant";
    options.warmup_epochs = 0;
  }
  return options;
}

double Trainer::base_rate() const {
  return position_.task == 1 ? *event_options_.lr : *event_options_.lr_next;
}

SgdOptions Trainer::sgd_options() const {
  return {.momentum = options_.momentum,
          .weight_decay = options_.weight_decay.value_or(0),
          .nesterov = options_.nesterov.value_or(false)};
}

// The parameters that the method trains, with their learning rate factors. All other parameters are
// frozen until the next task.
std::vector<SgdParameter> Trainer::thawed_parameters() {
  std::vector<SgdParameter> thawed;
  for (const auto& parameter : parts_.network->named_parameters()) {
    if (!parameter.value().requires_grad()) continue;
    const double factor = parts_.method.lr_factor(parameter.key());
    if (factor < 0)
      throw_error<Error>("{}: the learning rate factor must not be negative, got {}",
                         parameter.key(), factor);
    if (factor > 0) {
      thawed.push_back({"model." + parameter.key(), parameter.value(), factor});
    } else {
      parameter.value().set_requires_grad(false);
      frozen_.push_back(parameter.value());
    }
  }
  for (auto& [name, tensor] : parts_.method.parameters())
    thawed.push_back({"method." + name, tensor});
  return thawed;
}

StateDict Trainer::optimizer_state() const {
  auto state = optimizer_->state();
  if (scaler_) scaler_->put(state);
  return state;
}

void Trainer::train_task(const Task& task) {
  parts_.network->train();
  if (!task.has_images()) {
    train_request(task);
  } else {
    // If the checkpoint was written after the last step of the task, its epoch must still be
    // finished.
    while (position_.batch > 0 ||
           (position_.epoch < epochs_of(task) && position_.task_step < length_.iterations))
      train_epoch(task);
  }
}

int64_t Trainer::run_epoch() const {
  // Unique for every epoch of a run.
  const int64_t most = std::max(options_.epochs_of(1), options_.epochs_of(2));
  return (position_.task - 1) * most + position_.epoch;
}

Loader Trainer::loader_of(const Task& task, uint32_t epoch, int64_t first_batch,
                          bool drop_last) const {
  const auto seed = static_cast<uint64_t>(options_.seed);
  const auto images = images_of(task);
  return {images,
          shuffled(samples_, seed, epoch),
          parts_.plan.train_labels(task),
          Transform(images->info(), parts_.augmentation),
          {.batch = options_.batch_size(),
           .threads = parts_.loader_threads,
           .drop_last = drop_last,
           .first_batch = first_batch,
           .seed = seed,
           .epoch = epoch}};
}

void Trainer::visit_task(const std::function<void(const Batch&)>& visit) {
  const auto task = parts_.plan.task(position_.task).without(erased_);
  if (!task.has_images()) return;
  // Counted down from the maximum, so that it differs from every epoch and step of the training.
  const uint32_t address = UINT32_MAX - static_cast<uint32_t>(task.number);
  seed_torch(address);
  auto loader = loader_of(task, address, 0, false);
  int64_t left = options_.max_steps > 0 ? options_.max_steps : INT64_MAX;
  while (left-- > 0) {
    auto batch = loader.next();
    if (!batch) break;
    visit(batch->to(parts_.network->device()));
  }
}

void Trainer::train_epoch(const Task& task) {
  const int64_t steps = length_.iterations;
  start_clock();
  auto loader = loader_of(task, static_cast<uint32_t>(run_epoch()), position_.batch, true);
  while (position_.task_step < steps) {
    std::optional<Batch> batch;
    {
      const auto time = watch_.time("data");
      batch = loader.next();
      if (batch) batch = batch->to(parts_.network->device());
    }
    if (!batch) break;
    step(task, *batch);
    ++position_.batch;
    stop_if_asked();
    save_partial_if_due();
  }
  const auto phases = phase_seconds();
  const bool last = position_.epoch + 1 >= epochs_of(task) || position_.task_step >= steps;
  std::optional<Evaluation> evaluation;
  if (eval_options_.every == "epoch" && !last) evaluation = evaluate_or_save(task);
  emit(EpochDone{.position = position_, .phase_seconds = phases});
  if (evaluation)
    emit(Evaluated{.position = position_, .moment = Moment::kEpoch, .evaluation = *evaluation});
  ++position_.epoch;
  position_.batch = 0;
}

void Trainer::train_request(const Task& task) {
  const Batch nothing;
  start_clock();
  while (position_.task_step < length_.iterations) {
    if (!step(task, nothing)) {
      log_warning("the method can do nothing for a request without images: no change to {}",
                  parts_.plan.short_names(task.requested));
      return;
    }
    stop_if_asked();
    save_partial_if_due();
  }
  emit(EpochDone{.position = position_, .phase_seconds = phase_seconds()});
}

// LibTorch's generator (used by dropout) is seeded in every step, so checkpoints need not store its
// state.
void Trainer::seed_torch(uint32_t address) const {
  at::manual_seed(Random(static_cast<uint64_t>(options_.seed), Purpose::kTorch, address).next64());
}

bool Trainer::step(const Task& task, const Batch& batch) {
  seed_torch(static_cast<uint32_t>(position_.step));
  StepDone done{.position = position_,
                .lr = learning_rate(event_options_, base_rate(), position_.task_step, length_),
                .terms = {},
                .images = batch.size(),
                .passes = {}};
  const auto parts = batch.split(options_.accumulate);
  for (size_t i = 0; i < parts.size(); ++i) {
    Step step(task, parts[i], *parts_.network, old_.get(), watch_,
              {.seed = static_cast<uint64_t>(options_.seed),
               .step = position_.step,
               .epoch = run_epoch(),
               .part = static_cast<int64_t>(i),
               .progress = static_cast<double>(position_.epoch) /
                           static_cast<double>(std::max<int64_t>(epochs_of(task), 1))},
              options_.amp);
    parts_.method.update(step);
    const LossTerms terms = parts_.method.losses(step);
    if (i == 0 && std::all_of(terms.begin(), terms.end(),
                              [](const LossTerm& term) { return term.restrains; }))
      return false;
    done.passes += step.passes();
    if (terms.empty()) continue;
    at::Tensor total;
    {
      const auto time = watch_.time("losses");
      const double share = parts.size() == 1 ? 1.0
                                             : static_cast<double>(parts[i].size()) /
                                                   static_cast<double>(batch.size());
      total = add_terms(done, step, terms, share, parts_.run);
    }
    // Only for the first part: the shares of the terms are compared, not the gradient norms.
    if (i == 0 && options_.grad_steps > 0 && position_.task_step % options_.grad_steps == 0)
      measure_shares(terms, done);
    if (i == 0) optimizer_->zero_grad();
    if (total.requires_grad()) {
      const auto time = watch_.time("backward");
      (scaler_ ? total * scaler_->scale() : total).backward();
    }
  }
  {
    const auto time = watch_.time("optimiser");
    // In half precision a gradient may overflow. The step is then skipped and the loss scale is
    // lowered.
    const bool finite = !scaler_ || scaler_->unscale(optimizer_->parameters());
    if (event_options_.clip_norm > 0 && finite)
      done.grad_norm = optimizer_->clip_grad_norm(event_options_.clip_norm);
    if (finite) optimizer_->step(done.lr);
  }
  ++position_.task_step;
  ++position_.step;
  const auto now = Clock::now();
  done.seconds = std::chrono::duration<double>(now - step_start_).count();
  step_start_ = now;
  emit(done);
  return true;
}

void Trainer::measure_shares(const LossTerms& terms, StepDone& done) {
  const auto probe = parts_.network->probe_weight();
  if (!probe.defined() || !probe.requires_grad()) return;
  const auto time = watch_.time("gradient shares");
  measure_gradients(done, terms, probe);
}

void Trainer::start_clock() {
  watch_.reset();
  step_start_ = epoch_start_ = Clock::now();
}

std::map<std::string, double> Trainer::phase_seconds() const {
  auto phases = watch_.seconds();
  phases["epoch"] = std::chrono::duration<double>(Clock::now() - epoch_start_).count();
  return phases;
}

EvaluateOptions Trainer::evaluate_options() const {
  return {.batch = eval_options_.batch.value_or(EvaluateOptions{}.batch),
          .loader_threads = parts_.loader_threads};
}

Evaluation Trainer::evaluate_now(const Task& task) {
  return evaluate(*parts_.network, parts_.eval, parts_.plan, task, evaluate_options());
}

Evaluation Trainer::evaluate_or_save(const Task& task) {
  try {
    return evaluate_now(task);
  } catch (const Interrupted&) {
    if (!task.purges()) save_partial();
    throw;
  }
}

// Erases classes from the model and from the state of the method. The marks are those of all rows
// that a file of the run may contain: of this event, of the version before, of older versions.
std::vector<ErasedClass> Trainer::erase(const ClassSet& classes) {
  const auto entries = parts_.network->class_entries();
  std::vector<ErasedClass> erased;
  for (const ClassId id : classes) erased.push_back({id, parts_.method.state_of(id), {}});
  const auto add = [&](const StateDict& model, const StateDict& before, const StateDict& after) {
    for (auto& one : erased) {
      auto marks = classifier_marks(model, entries, one.id);
      for (auto& mark : state_marks(before, after, one.id)) marks.push_back(std::move(mark));
      for (auto& mark : marks) {
        if (std::find(one.marks.begin(), one.marks.end(), mark) == one.marks.end())
          one.marks.push_back(std::move(mark));
      }
    }
  };
  StateDict model, method;  // copies, because both are changed in place
  for (const auto& [name, tensor] : named_state(*parts_.network)) model[name] = tensor.clone();
  for (const auto& [name, tensor] : parts_.method.state()) method[name] = tensor.clone();
  parts_.network->erase(classes);
  parts_.method.purge(classes);
  erased_ = erased_ | classes;
  const auto after = parts_.method.state();
  add(model, method, after);
  if (old_) add(named_state(*old_), {}, after);
  if (parts_.run.empty()) return erased;
  for (const auto version : versions_of(parts_.run)) {
    const auto stored = read_checkpoint(version_of(parts_.run, version));
    add(stored.model, stored.method, after);
  }
  return erased;
}

void Trainer::end_task(const Task& task) {
  auto evaluation = evaluate_or_save(task);
  // From here on nothing is saved until the version is complete. An interrupted event continues
  // from its last partial checkpoint.
  emit(Evaluated{
      .position = position_, .moment = Moment::kEnd, .evaluation = std::move(evaluation)});
  TaskDone done = {.task = task,
                   .model_before = model_before_,
                   .model_after = "",
                   .steps = position_.task_step,
                   .images = static_cast<int64_t>(samples_.size())};
  if (task.purges()) {
    write_version(task, std::move(done), task.purged);
    return;
  }
  done.remarks = parts_.method.remarks(task, parts_.plan);
  const auto effect = position_.task_step == 0          ? RequestEffect::kNothingToDo
                      : parts_.method.uses_forget_set() ? RequestEffect::kTrained
                                                        : RequestEffect::kIgnored;
  for (const auto& request : task.requests) done.requests.push_back({request, effect});
  const auto closing = parts_.close ? parts_.close(done) : Closing{};
  auto at_hand = learner();
  parts_.method.end_task(task, at_hand);
  if (closing.reject) {
    write_candidate(task);
    return;
  }
  write_version(task, std::move(done), closing.erase);
}

void Trainer::write_version(const Task& task, TaskDone done, const ClassSet& to_erase) {
  if (!to_erase.empty()) {
    done.erased = erase(to_erase);
    emit(Evaluated{.position = position_,
                   .moment = Moment::kErased,
                   .evaluation = evaluate_now(task.without(erased_))});
  }

  Position next = position_;
  next.task += 1;
  next.epoch = next.batch = next.task_step = 0;
  const auto finish = [&](const std::string& hash) {
    done.model_after = hash;
    emit(done);
    model_before_ = hash;
    json state = state_json(next);
    state["within_task"] = false;
    state["task"] = task.number;
    state["erased"] = erased_.ids();
    return state;
  };
  if (parts_.run.empty()) {
    finish("");
  } else {
    const auto folder = version_folder(parts_.run, task.number, task.kind());
    const auto beside = new_folder(folder);
    write_checkpoint(beside, named_state(*parts_.network), parts_.method.state(), {}, finish);
    emit(VersionWritten{.task = task.number, .folder = beside});
    fs::rename(beside, folder);
    emit(EventComplete{.task = task.number, .folder = folder});
    drop_partial(parts_.run);
  }
  position_ = next;
}

void Trainer::write_candidate(const Task& task) {
  rejected_ = true;
  if (parts_.run.empty()) return;
  write_checkpoint(candidate_folder(parts_.run), named_state(*parts_.network),
                   parts_.method.state(), {}, [&](const std::string&) {
                     return json{{"task", task.number}, {"erased", erased_.ids()}};
                   });
  drop_partial(parts_.run);
}

void Trainer::stop_if_asked() {
  if (!stop_requested()) return;
  save_partial();
  throw_error<Interrupted>("stopped by a signal in task {} after step {}", position_.task,
                           position_.task_step);
}

void Trainer::save_partial_if_due() {
  const double minutes = std::chrono::duration<double>(Clock::now() - last_save_).count() / 60;
  const bool by_steps =
      options_.checkpoint_steps > 0 && position_.task_step % options_.checkpoint_steps == 0;
  const bool by_time = options_.checkpoint_minutes > 0 && minutes >= options_.checkpoint_minutes;
  if (by_steps || by_time) save_partial();
}

void Trainer::save_partial() {
  if (parts_.run.empty()) return;
  write_checkpoint(partial_folder(parts_.run), named_state(*parts_.network), parts_.method.state(),
                   optimizer_state(), [&](const std::string&) {
                     json state = state_json(position_);
                     state["within_task"] = true;
                     state["task"] = position_.task;
                     return state;
                   });
  last_save_ = Clock::now();
}

json Trainer::state_json(const Position& position) {
  json state = {{"position", to_json(position)}, {"listeners", json::object()}};
  for (auto* listener : listeners_) {
    if (!listener->state_name().empty())
      state["listeners"][listener->state_name()] = listener->save();
  }
  return state;
}

void Trainer::restore_listeners(const json& state) {
  const auto& saved = state.at("listeners");
  for (auto* listener : listeners_) {
    if (listener->state_name().empty()) continue;
    const auto own = saved.find(listener->state_name());
    if (own == saved.end())
      throw_error<DataError>("checkpoint has no state of '{}'", listener->state_name());
    listener->restore(*own);
  }
}

}  // namespace lethe
