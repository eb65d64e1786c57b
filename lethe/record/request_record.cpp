#include "lethe/record/request_record.h"

#include <nlohmann/json.hpp>

namespace lethe {

using nlohmann::ordered_json;

namespace {

const char* text_of(RequestEffect effect) {
  switch (effect) {
    case RequestEffect::kTrained:
      return "trained with these classes in the forget set";
    case RequestEffect::kRetrained:
      return "trained again from the beginning, without these classes";
    case RequestEffect::kIgnored:
      return "the method does not use the forget set: nothing was done to forget these classes";
    case RequestEffect::kNothingToDo:
      break;
  }
  return "the method can do nothing without images: the model is unchanged";
}

bool is_trained(RequestEffect effect) {
  return effect == RequestEffect::kTrained || effect == RequestEffect::kRetrained;
}

const char* source_of(const Request& request) {
  if (request.by_command) return "lethe forget";
  return request.by_fraction ? "stream.forget_fraction" : "requests";
}

}  // namespace

std::vector<ClassVerdict> judge_request(const RequestDone& done, int64_t event,
                                        const ScoreTable& table, const TaskPlan& plan,
                                        const VerdictOptions& options) {
  const auto acted = is_trained(done.effect) ? Acted::kYes : Acted::kNo;
  std::vector<ClassVerdict> verdicts;
  for (const ClassId id : done.request.classes)
    verdicts.push_back(
        judge(id, table.version_row(event - 1), table.end_row(event), plan, options, acted));
  return verdicts;
}

bool is_carried_out(const ClassVerdict& verdict, RequestEffect effect) {
  switch (verdict.verdict) {
    case Verdict::kForgotten:
    case Verdict::kNeverLearned:
      return true;
    case Verdict::kNotMeasured:
      return is_trained(effect);
    case Verdict::kNotForgotten:
    case Verdict::kNoEffect:
      break;
  }
  return false;
}

ordered_json request_record(const TaskDone& event, const RequestDone& done,
                            const std::vector<ClassVerdict>& verdicts, const TaskPlan& plan) {
  std::vector<std::string> names;
  ordered_json before = ordered_json::object();
  ordered_json after = ordered_json::object();
  ordered_json measure = ordered_json::object();
  ordered_json verdict = ordered_json::object();
  for (const auto& one : verdicts) {
    const auto& name = plan.class_name(one.id);
    const bool measured = one.verdict != Verdict::kNotMeasured;
    names.push_back(name);
    before[name] = measured ? ordered_json(one.before) : ordered_json(nullptr);
    after[name] = measured ? ordered_json(one.after) : ordered_json(nullptr);
    if (measured) measure[name] = measure_text(one.over_all, plan.problem());
    verdict[name] = name_of(one.verdict);
  }
  ordered_json record = {
      {"classes", names},
      {"by", source_of(done.request)},
      {"effect", text_of(done.effect)},
      {"verdict", verdict},
      {"accuracy", {{"before", before}, {"after", after}, {"measured", measure}}}};
  if (!event.remarks.empty()) record["remarks"] = event.remarks;
  return record;
}

}  // namespace lethe
