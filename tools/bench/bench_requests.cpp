#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "lethe/core/error.h"
#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/data/load_data.h"
#include "lethe/method/registry.h"
#include "lethe/record/run_files.h"
#include "lethe/report/table.h"
#include "lethe/run/add_event.h"
#include "lethe/run/runner.h"
#include "tools/bench/bench.h"

namespace lethe {

namespace {

namespace fs = std::filesystem;

struct Stream {
  const char* title;
  Problem problem;
  const char* preset;
  const char* dataset;
  std::vector<std::string> sets;
};

// Seven classes in two tasks; two more are learned at the end.
const std::array<Stream, 2> kStreams = {{{"Images",
                                          Problem::kImages,
                                          "smoke",
                                          "shapes",
                                          {"stream.tasks=[4,3]", "requests=[]", "train.epochs=6",
                                           "data.train_per_class=100", "data.test_per_class=50"}},
                                         {"Masks",
                                          Problem::kMasks,
                                          "demo_seg",
                                          "shapes_seg",
                                          {"stream.tasks=[4,3]", "requests=[]", "train.epochs=8",
                                           "train.epochs_next=4", "data.train_per_class=80"}}}};
constexpr size_t kOfFirstTask = 0;
constexpr size_t kOfSecondTask = 4;
constexpr std::array<size_t, 2> kNew = {7, 8};

// A folder that is removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("lethe-requests-{}", ::getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

std::vector<std::string> class_names(const Stream& stream, const std::vector<std::string>& sets) {
  RunConfig config;
  configure(config, read_config(stream.preset, sets));
  auto names = load_data(config.data).train->info().class_names;
  if (stream.problem == Problem::kMasks) names.erase(names.begin());  // background
  return names;
}

// Numbers of cases: a case is one event with one method.
struct Progress {
  int64_t done = 0;
  int64_t all = 0;
};

constexpr int64_t kCasesPerMethod = 5;

// One method on one stream.
class Sequence {
 public:
  Sequence(const Stream& stream, std::string method, const BenchOptions& options,
           const fs::path& folder, Progress& progress)
      : stream_(stream),
        method_(std::move(method)),
        folder_(folder),
        threads_(options.threads),
        sets_(stream.sets),
        progress_(progress) {
    sets_.insert(sets_.end(), options.sets.begin(), options.sets.end());
  }

  // What the events that failed said.
  const std::vector<std::string>& failures() const { return failures_; }

  std::vector<std::vector<std::string>> rows() {
    const auto names = class_names(stream_, sets_);
    const auto& first = names.at(kOfFirstTask);
    const auto& second = names.at(kOfSecondTask);
    const auto start = folder_ / "start";
    const auto run_dir = folder_ / "run";
    auto sets = sets_;
    sets.push_back("method.name=" + method_);
    const auto failed = failure_of("the first two tasks", [&] {
      run({.config = stream_.preset, .sets = sets, .out = start, .threads = threads_});
    });
    const auto copy = [&] {
      fs::remove_all(run_dir);
      if (failed.empty()) fs::copy(start, run_dir, fs::copy_options::recursive);
    };
    const auto add_case = [&](const std::string& what, const auto& make) {
      add(what, failed.empty() ? carry_out(what, make()) : Done{{}, failed});
    };

    copy();
    add_case("without images", [&] { return forget(run_dir, first, Images::kNone); });
    copy();
    add_case("with images", [&] { return forget(run_dir, first, Images::kKept); });
    add_case("a second request", [&] { return forget(run_dir, second, Images::kKept); });
    add_case("a task after them", [&] {
      return learn(run_dir, {names.at(kNew[0]), names.at(kNew[1])});
    });
    add_case("the first request again", [&] { return forget(run_dir, first, Images::kKept); });
    fs::remove_all(run_dir);
    fs::remove_all(start);
    return rows_;
  }

 private:
  enum class Images { kNone, kKept };

  struct Done {
    EventFigures figures;
    std::string answer;
  };

  EventOptions event(const fs::path& path) const { return {.run = path, .threads = threads_}; }

  std::vector<std::string> data_sets() const {
    std::vector<std::string> some;
    for (const auto& set : sets_) {
      if (set.starts_with("data.")) some.push_back(set);
    }
    return some;
  }

  EventOptions forget(const fs::path& path, const std::string& name, Images images) const {
    auto options = event(path);
    options.kind = EventKind::kForget;
    options.classes = {name};
    if (images == Images::kKept) {
      options.data = stream_.dataset;
      options.sets = data_sets();
    }
    return options;
  }

  EventOptions learn(const fs::path& path, const std::vector<std::string>& names) const {
    auto options = event(path);
    options.kind = EventKind::kLearn;
    options.classes = names;
    options.data = stream_.dataset;
    options.sets = data_sets();
    return options;
  }

  // The short reason if the action fails; empty if it does not.
  template <typename Work>
  std::string failure_of(const std::string& what, const Work& work) {
    try {
      work();
      return "";
    } catch (const Interrupted&) {
      throw;
    } catch (const ConfigError& error) {
      log_info("{}: refused: {}", method_, error.what());
      return "refused";
    } catch (const Error& error) {
      const std::string message = error.what();
      failures_.push_back(fmt::format("{}, {}: {}", method_, what, message));
      return message.starts_with("loss term") ? "diverged" : "failed";
    }
  }

  // A request that is not accepted is accepted by hand, and one that fails is discarded, so that
  // the sequence goes on.
  Done carry_out(const std::string& what, const EventOptions& options) {
    Done done{{}, "accepted"};
    const auto failed = failure_of(what, [&] {
      const auto result = add_event(options);
      if (!result.accepted) {
        auto decision = event(options.run);
        decision.kind = options.kind;
        decision.accept = true;
        add_event(decision);
        done.answer = "not accepted";
      }
      done.figures = result.figures;
    });
    if (failed.empty()) return done;
    if (fs::exists(options.run / kPendingFile))
      failure_of(what + ", discard", [&] { discard_event(options.run, options.kind); });
    return {{}, failed};
  }

  void add(const std::string& what, const Done& done) {
    const auto& figures = done.figures;
    std::vector<std::string> forgotten;
    for (const auto& one : figures.forgotten)
      forgotten.push_back(fmt::format("{} -> {}", percent(one.before), percent(one.after)));
    const bool is_done = done.answer == "accepted" || done.answer == "not accepted";
    const auto change = [&](double fall) {
      return !is_done ? std::string("-") : signed_points(-fall);
    };
    rows_.push_back({method_, what,
                     forgotten.empty() ? "-" : fmt::format("{}", fmt::join(forgotten, ", ")),
                     figures.forgotten.empty() ? "-" : figures.forgotten.front().verdict,
                     figures.learned ? percent(*figures.learned) : "-", change(figures.mean_fall),
                     change(figures.worst_fall), figures.learned ? "learned" : done.answer});
    log_info("case {} of {}: {}, {}, {}: {}", ++progress_.done, progress_.all, stream_.title,
             method_, what, rows_.back().back());
  }

  const Stream& stream_;
  std::string method_;
  fs::path folder_;
  int threads_;
  std::vector<std::string> sets_;
  Progress& progress_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> failures_;
};

std::string command(const BenchOptions& options) {
  std::string text = "lethe bench requests";
  if (!options.methods.empty())
    text += fmt::format(" --methods {}", fmt::join(options.methods, ","));
  for (const auto& set : options.sets) text += " --set " + set;
  return text + fmt::format(" --threads {}", options.threads);
}

std::vector<std::string> methods_for(const Stream& stream, const BenchOptions& options) {
  auto methods = MethodRegistry::builtin().names(stream.problem);
  if (!options.methods.empty()) {
    std::erase_if(methods, [&](const std::string& name) {
      return std::find(options.methods.begin(), options.methods.end(), name) ==
             options.methods.end();
    });
  }
  return methods;
}

std::string stream_text(const Stream& stream, const BenchOptions& options, const fs::path& folder,
                        Progress& progress) {
  const auto methods = methods_for(stream, options);
  if (methods.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  std::string failures;
  for (const auto& method : methods) {
    Sequence sequence(stream, method, options, folder, progress);
    for (auto& row : sequence.rows()) rows.push_back(std::move(row));
    for (const auto& failure : sequence.failures()) failures += fmt::format("- {}\n", failure);
  }
  if (!failures.empty()) failures = "\nEvents that failed:\n\n" + failures;
  return fmt::format("\n## {}\n\nPreset {} with {}.\n\n{}{}", stream.title, stream.preset,
                     fmt::join(stream.sets, ", "),
                     markdown_table({"method", "event", "forgotten class", "verdict", "new classes",
                                     "kept, mean", "kept, worst", "answer"},
                                    rows),
                     failures);
}

}  // namespace

std::string bench_requests(const BenchOptions& options) {
  for (const auto& method : options.methods) MethodRegistry::builtin().find(method);  // throws
  const Folder folder;
  auto text = fmt::format(
      "# What requests do, by method\n\n"
      "Written by `{}` (commit {}, LibTorch {}, {}). Seed 0, untuned settings, one run for each "
      "row's method: the table shows that every event works with every method, not which method is "
      "best.\n\n"
      "Seven classes are learned in two tasks. Then commands follow: a request for a class of the "
      "first task *without images*; on a fresh copy of the run the same request *with images* of "
      "the kept classes; *a second request*, for a class of the second task; *a task after them*, "
      "with two new classes; *the first request again*.\n\n"
      "All figures are percent of test images (pixels for masks), before the class is erased. "
      "Forgotten class: accuracy before -> after. Kept: the change of the kept classes in points, "
      "on average and for the class that lost most. Answer: *accepted* = the class is forgotten "
      "and kept classes are not damaged (`forget.margin`, `forget.kept_fall`, "
      "`forget.mean_fall`); *not accepted* = the run stays as it was, exit status 4 (here it is "
      "accepted by hand with `--accept`, so that the sequence goes on); *refused* = exit status 2, "
      "nothing is done: the method can do nothing without images, or the class was forgotten "
      "already; *diverged* = a loss became infinite or not a number, exit status 1: the event is "
      "discarded, and the sequence goes on without it.\n",
      command(options), commit(), torch_version(), cpu_name());
  Progress progress;
  for (const auto& stream : kStreams)
    progress.all += kCasesPerMethod * static_cast<int64_t>(methods_for(stream, options).size());
  for (const auto& stream : kStreams) text += stream_text(stream, options, folder.path, progress);
  return text;
}

}  // namespace lethe
