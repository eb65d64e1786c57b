#include "lethe/method/composite.h"

#include <algorithm>
#include <iterator>

namespace lethe {

Composite::Composite(std::vector<Part> parts) : parts_(std::move(parts)) {}

void Composite::begin_task(const Task& task, Learner& learner) {
  for (auto& part : parts_) part.method->begin_task(task, learner);
}

void Composite::update(Step& step) {
  for (auto& part : parts_) part.method->update(step);
}

LossTerms Composite::losses(Step& step) {
  LossTerms all;
  for (auto& part : parts_) {
    auto terms = part.method->losses(step);
    std::move(terms.begin(), terms.end(), std::back_inserter(all));
  }
  return all;
}

void Composite::end_task(const Task& task, Learner& learner) {
  for (auto& part : parts_) part.method->end_task(task, learner);
}

std::vector<NamedTensor> Composite::parameters() {
  std::vector<NamedTensor> all;
  for (auto& part : parts_) {
    for (auto& [name, tensor] : part.method->parameters())
      all.push_back({part.name + '.' + name, tensor});
  }
  return all;
}

double Composite::lr_factor(const std::string& parameter) const {
  double factor = 1.0;
  for (const auto& part : parts_) factor *= part.method->lr_factor(parameter);
  return factor;
}

RequestSettings Composite::request_settings() const {
  RequestSettings all;
  for (const auto& part : parts_) {
    const auto own = part.method->request_settings();
    if (!all.steps) all.steps = own.steps;
    if (!all.lr) all.lr = own.lr;
    if (!all.clip_norm) all.clip_norm = own.clip_norm;
  }
  return all;
}

StateDict Composite::state() const {
  StateDict all;
  for (const auto& part : parts_) add_part(all, part.name + '.', part.method->state());
  return all;
}

void Composite::load(const StateDict& state) {
  for (auto& part : parts_) part.method->load(part_of(state, part.name + '.'));
}

std::vector<StateEntry> Composite::state_of(ClassId id) const {
  std::vector<StateEntry> all;
  for (const auto& part : parts_) {
    for (const auto& entry : part.method->state_of(id)) all.push_back(entry);
  }
  return all;
}

void Composite::purge(const ClassSet& classes) {
  for (auto& part : parts_) part.method->purge(classes);
}

std::vector<std::string> Composite::remarks(const Task& task, const TaskPlan& plan) const {
  std::vector<std::string> all;
  for (const auto& part : parts_) {
    for (auto& remark : part.method->remarks(task, plan)) all.push_back(std::move(remark));
  }
  return all;
}

bool Composite::uses_forget_set() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.method->uses_forget_set(); });
}

}  // namespace lethe
