// The figures of an event that a command carried out, and the decision whether it is accepted.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lethe/metrics/scores.h"
#include "lethe/metrics/verdict.h"
#include "lethe/record/ledger_keeper.h"
#include "lethe/trainer/trainer.h"

namespace lethe {

// What an event did, in accuracies on the run's test images.
struct EventFigures {
  struct Forgotten {
    std::string name;
    double before = 0, after = 0;
    std::string verdict;  // e.g. "not forgotten"
  };
  std::vector<Forgotten> forgotten;
  std::optional<double> learned;  // the mean of the new classes
  double mean_fall = 0;           // of kept classes
  double worst_fall = 0;          // the kept class that lost most; below 0 if all gained
};

struct Judged {
  std::vector<ClassVerdict> verdicts;
  std::vector<KeptFall> falls;
  double mean_fall = 0;
  double worst_fall = 0;
  std::optional<double> learned;
  bool acceptable = true;
};

// Judges an event that ends now. table has its evaluation at the end.
Judged judge_event(const TaskDone& done, const ScoreTable& table, const TaskPlan& plan,
                   const VerdictOptions& options);

// Which classes are erased, or that the event is rejected. accept: the operator accepts any result.
Closing decide(const TaskDone& done, const LedgerKeeper& keeper, const ScoreTable& table,
               const TaskPlan& plan, const VerdictOptions& options, bool accept);

std::string verdict_table(const Judged& judged, const TaskPlan& plan);  // for the terminal
EventFigures figures_of(const Judged& judged, const TaskPlan& plan);
nlohmann::ordered_json to_json(const Judged& judged, const TaskPlan& plan);  // for pending.json

}  // namespace lethe
