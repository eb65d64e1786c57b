#include "lethe/record/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

namespace lethe {

using nlohmann::ordered_json;

namespace {

const char* text_of(RequestEffect effect) {
  switch (effect) {
    case RequestEffect::kTrained:
      return "trained with these classes in the forget set";
    case RequestEffect::kIgnored:
      return "the method does not use the forget set: nothing was done to forget these classes";
    case RequestEffect::kNothingToDo:
      break;
  }
  return "the method can do nothing without images: the model is unchanged";
}

}  // namespace

Acted acted_in(const RequestDone& done) {
  return done.effect == RequestEffect::kTrained ? Acted::kYes : Acted::kNo;
}

ordered_json ledger_line(const TaskDone& event, const RequestDone& done, const ScoreTable& table,
                         const TaskPlan& plan, const LedgerOptions& options) {
  const auto* before = table.end_row(event.task.number - 1);
  const auto* after = table.end_row(event.task.number);
  std::vector<std::string> names;
  ordered_json was = ordered_json::object();
  ordered_json is = ordered_json::object();
  ordered_json how = ordered_json::object();
  ordered_json verdicts = ordered_json::object();
  for (const ClassId id : done.request.classes) {
    const auto& name = plan.class_name(id);
    const auto judged = judge(id, before, after, plan, options.verdict, acted_in(done));
    const bool measured = judged.verdict != Verdict::kNotMeasured;
    names.push_back(name);
    was[name] = measured ? ordered_json(judged.before) : ordered_json(nullptr);
    is[name] = measured ? ordered_json(judged.after) : ordered_json(nullptr);
    if (measured) how[name] = measure_text(judged.over_all, plan.problem());
    verdicts[name] = name_of(judged.verdict);
  }
  ordered_json line = {
      {"asked",
       {{"classes", names},
        {"before_task", done.request.before_task},
        {"by", done.request.by_fraction ? "stream.forget_fraction" : "requests"}}},
      {"done",
       {{"method", options.method},
        {"task", event.task.number},
        {"new_classes", event.task.new_classes.size()},
        {"steps", event.steps},
        {"note", text_of(done.effect)}}},
      {"verdict", verdicts},
      {"accuracy", {{"before", was}, {"after", is}, {"measured", how}}},
      {"model", {{"before", event.model_before}, {"after", event.model_after}}},
      {"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  if (!event.remarks.empty()) line["done"]["remarks"] = event.remarks;
  return line;
}

}  // namespace lethe
