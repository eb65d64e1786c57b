// The ledger of a run, requests.jsonl. It has one line per request that was carried out: the
// request, the action, accuracy and model hash before and after, and the verdicts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lethe/metrics/scores.h"
#include "lethe/metrics/verdict.h"
#include "lethe/trainer/events.h"

namespace lethe {

struct LedgerOptions {
  std::string method;
  VerdictOptions verdict = {};
};

// Whether the method did anything for the request; for judge().
Acted acted_in(const RequestDone& done);

// table: all evaluations, including that at the end of the event's task.
nlohmann::ordered_json ledger_line(const TaskDone& event, const RequestDone& done,
                                   const ScoreTable& table, const TaskPlan& plan,
                                   const LedgerOptions& options);

}  // namespace lethe
