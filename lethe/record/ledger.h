// The ledger of a run, requests.jsonl: one line per request that was carried out, with what was
// asked, what was done, accuracy and model hash before and after, and the verdict.
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

// table: the evaluations so far, that of the end of the event's task included.
nlohmann::ordered_json ledger_line(const TaskDone& event, const RequestDone& done,
                                   const ScoreTable& table, const TaskPlan& plan,
                                   const LedgerOptions& options);

}  // namespace lethe
