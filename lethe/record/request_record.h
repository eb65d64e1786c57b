// What a request did, judged from the evaluations before and after its event, and the part of a
// ledger line that describes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lethe/metrics/scores.h"
#include "lethe/metrics/verdict.h"
#include "lethe/trainer/events.h"

namespace lethe {

// The verdict for every class of a request. table has all evaluations up to the end of the event.
std::vector<ClassVerdict> judge_request(const RequestDone& done, int64_t event,
                                        const ScoreTable& table, const TaskPlan& plan,
                                        const VerdictOptions& options);

// Whether the class is erased: its verdict is forgotten or never learned, or it is not measured and
// the method trained on the request.
bool is_carried_out(const ClassVerdict& verdict, RequestEffect effect);

nlohmann::ordered_json request_record(const TaskDone& event, const RequestDone& done,
                                      const std::vector<ClassVerdict>& verdicts,
                                      const TaskPlan& plan);

}  // namespace lethe
