#include "lethe/audit/oracle_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <sstream>
#include <thread>

#include "lethe/audit/oracle_cache.h"
#include "lethe/core/error.h"
#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/progress.h"
#include "lethe/core/signals.h"
#include "lethe/core/text.h"
#include "lethe/record/ledger.h"
#include "lethe/record/run_files.h"
#include "lethe/run/add_event.h"
#include "lethe/run/runner.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace fs = std::filesystem;

namespace {

// The lock of an entry; null if another process holds it.
std::unique_ptr<FolderLock> lock_if_free(const fs::path& entry) {
  try {
    return std::make_unique<FolderLock>(entry);
  } catch (const ConfigError&) {
    return nullptr;
  }
}

// The last line that a process wrote, without its level.
std::string last_line(const fs::path& output) {
  std::istringstream lines(fs::exists(output) ? read_text(output) : "");
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view kLevel = "error: ";
  return last.starts_with(kLevel) ? last.substr(kLevel.size()) : last;
}

[[noreturn]] void throw_failure(const std::string& name, int status, const fs::path& entry) {
  const auto what = fmt::format("{}: {} (all messages: {})", name, last_line(oracle_output(entry)),
                                oracle_output(entry).string());
  if (status == 2) throw ConfigError(what);
  if (status == 3) throw DataError(what);
  throw Error(what);
}

// One entry of the cache that is trained now.
class Job {
 public:
  Job(OracleSpec spec, fs::path entry) : spec_(std::move(spec)), entry_(std::move(entry)) {
    fs::create_directories(entry_);
    is_done_ = was_cached_ = is_trained(entry_, spec_);
  }

  bool is_done() const { return is_done_; }
  bool is_running() const { return child_ != nullptr; }
  bool was_cached() const { return was_cached_; }
  const OracleSpec& spec() const { return spec_; }
  const fs::path& entry() const { return entry_; }

  // Does nothing if another process works on it.
  void start(const std::string& program) {
    lock_ = lock_if_free(entry_);
    is_elsewhere_ = lock_ == nullptr;
    if (is_elsewhere_) return;
    if (is_trained(entry_, spec_)) {  // by the other process
      finish();
      return;
    }
    write_task(entry_, spec_);
    child_ =
        std::make_unique<ChildProcess>(ChildOptions{.program = program,
                                                    .arguments = {"oracle", entry_.string()},
                                                    .environment = {{"GOMP_SPINCOUNT", "2000"}},
                                                    .output = oracle_output(entry_)});
  }

  void poll() {
    if (!child_ || !child_->status()) return;
    const int status = *child_->status();
    child_.reset();
    if (status != 0 && stop_requested()) return;
    if (status != 0) throw_failure(spec_.name(), status, entry_);
    finish();
    const auto cost = cost_so_far();
    log_info("{}: trained, {} in {}", spec_.name(), counted(cost.images, "image"),
             duration_text(cost.seconds));
  }

  void stop() {
    if (child_) child_->send(SIGTERM);
  }

  // "oracle 1000 (lwf*): event 2/4, 350 images/s"; empty if there is nothing to say.
  std::string progress() const {
    if (is_elsewhere_ && !is_done_) return spec_.name() + ": trained by another process";
    if (!child_) return "";
    const auto costs = training_costs(oracle_run(entry_) / kMetricsFile);
    if (costs.empty()) return spec_.name() + ": starts";
    const auto& [event, cost] = *costs.rbegin();
    return fmt::format("{}: event {}/{}, {:.0f} images/s", spec_.name(), event, spec_.event,
                       static_cast<double>(cost.images) / std::max(cost.seconds, 1e-9));
  }

  TrainingCost cost_so_far() const {
    return cost_until(training_costs(oracle_run(entry_) / kMetricsFile), spec_.event);
  }

 private:
  void finish() {
    is_done_ = true;
    lock_.reset();
  }

  OracleSpec spec_;
  fs::path entry_;
  std::unique_ptr<FolderLock> lock_;
  std::unique_ptr<ChildProcess> child_;
  bool is_done_ = false;
  bool is_elsewhere_ = false;
  bool was_cached_ = false;
};

using Jobs = std::vector<std::unique_ptr<Job>>;

// One job for each entry, up to the last event that is wanted of it.
Jobs jobs_for(std::vector<OracleSpec> specs, const fs::path& cache) {
  std::stable_sort(specs.begin(), specs.end(), [](const OracleSpec& a, const OracleSpec& b) {
    return a.seed != b.seed ? a.seed < b.seed : a.event > b.event;
  });
  Jobs jobs;
  for (auto& spec : specs) {
    const auto entry = oracle_entry(cache, spec);
    if (std::none_of(jobs.begin(), jobs.end(),
                     [&](const auto& job) { return job->entry() == entry; }))
      jobs.push_back(std::make_unique<Job>(std::move(spec), entry));
  }
  return jobs;
}

void tell_expected(const Jobs& jobs, int side_by_side) {
  double sum = 0;
  double longest = 0;
  int64_t missing = 0;
  for (const auto& job : jobs) {
    if (job->is_done()) continue;
    const auto left = std::max(0.0, job->spec().expected.seconds - job->cost_so_far().seconds);
    ++missing;
    sum += left;
    longest = std::max(longest, left);
  }
  if (missing == 0) return;
  log_info("training {} without the forgotten classes, {} at a time: about {} in total, {} each",
           counted(missing, "oracle"), std::min<int64_t>(missing, side_by_side),
           duration_text(std::max(longest, sum / side_by_side)),
           duration_text(sum / static_cast<double>(missing)));
}

void start_some(const Jobs& jobs, const OracleJobs& options) {
  auto running =
      std::count_if(jobs.begin(), jobs.end(), [](const auto& job) { return job->is_running(); });
  for (const auto& job : jobs) {
    if (running >= std::max(1, options.side_by_side)) return;
    if (job->is_done() || job->is_running()) continue;
    job->start(options.program);
    running += job->is_running() ? 1 : 0;
  }
}

// Waits until all processes have written their checkpoints.
void stop_all(const Jobs& jobs) {
  for (const auto& job : jobs) job->stop();
  for (const auto& job : jobs) {
    while (job->is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      try {
        job->poll();
      } catch (const Error&) {  // the first failure is reported
      }
    }
  }
}

std::string progress_of(const Jobs& jobs) {
  std::string text;
  for (const auto& job : jobs) {
    if (const auto own = job->progress(); !own.empty()) text += (text.empty() ? "" : " | ") + own;
  }
  return text;
}

void run_all(const Jobs& jobs, const OracleJobs& options) {
  ProgressLine line(ProgressLine::for_stderr());
  using Clock = std::chrono::steady_clock;
  auto next_look = Clock::now();
  const auto left = [&] {
    return std::any_of(jobs.begin(), jobs.end(), [](const auto& job) { return !job->is_done(); });
  };
  while (left()) {
    if (stop_requested())
      throw Interrupted("stopped by a signal while oracles were trained; the same command goes on");
    start_some(jobs, options);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const auto& job : jobs) job->poll();
    if (Clock::now() < next_look) continue;
    line.show(progress_of(jobs));
    next_look = Clock::now() + std::chrono::seconds(1);
  }
}

// Carries out a `lethe learn`, or what is left of an event that was interrupted.
void learn(const fs::path& run, const AddedEvent& added, const fs::path& data) {
  EventOptions options;
  options.run = run;
  options.kind = EventKind::kLearn;
  options.resume = fs::exists(run / kPendingFile);
  if (!options.resume) {
    options.classes = added.event.classes;
    options.data = data.string();
    options.sets = added.sets;
    options.epochs = added.event.epochs;
  }
  add_event(options);
}

}  // namespace

std::vector<TrainedOracle> train_oracles(const std::vector<OracleSpec>& specs,
                                         const OracleJobs& options) {
  const auto cache = options.cache.empty() ? default_oracle_cache() : options.cache;
  const auto jobs = jobs_for(specs, fs::absolute(cache).lexically_normal());
  tell_expected(jobs, std::max(1, options.side_by_side));
  try {
    run_all(jobs, options);
  } catch (...) {
    stop_all(jobs);
    throw;
  }
  std::vector<TrainedOracle> trained;
  for (const auto& spec : specs) {
    const auto job = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const auto& one) { return one->spec().key == spec.key; });
    const auto run = oracle_run((*job)->entry());
    trained.push_back({.name = spec.name(),
                       .run = run,
                       .event = spec.event,
                       .model = model_hash(version_of(run, spec.event)),
                       .cost = cost_until(training_costs(run / kMetricsFile), spec.event),
                       .was_cached = (*job)->was_cached()});
  }
  return trained;
}

void train_oracle(const fs::path& entry) {
  const auto task = read_task(entry);
  const auto run = oracle_run(entry);
  if (Ledger(run).last_event() < std::min(task.tasks, task.event))
    lethe::run({.config = task.config.string(),
                .sets = {},
                .out = run,
                .resume = true,
                .threads = 1,
                .cache = {},
                .resume_advice = false,
                .last_event = task.event});
  for (size_t i = 0; i < task.learned.size(); ++i) {
    const auto event = task.tasks + static_cast<int64_t>(i) + 1;
    if (event > task.event) return;
    while (Ledger(run).last_event() < event) learn(run, task.learned[i], learn_file(entry, i));
  }
}

}  // namespace lethe
