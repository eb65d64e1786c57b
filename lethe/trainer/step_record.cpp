#include "lethe/trainer/step_record.h"

#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "lethe/core/error.h"
#include "lethe/model/torch.h"
#include "lethe/trainer/checkpoint.h"

namespace lethe {

namespace {

// One device transfer for all values: first the terms, then the notes.
std::vector<double> numbers_of(const LossTerms& terms, const Step& step) {
  std::vector<at::Tensor> values;
  for (const auto& term : terms) values.push_back(term.value.detach().to(torch::kDouble));
  for (const auto& [name, value] : step.notes())
    values.push_back(
        value.detach().to(torch::kDouble).reshape({}).to(terms.front().value.device()));
  const auto all = torch::stack(values).cpu();
  return {all.data_ptr<double>(), all.data_ptr<double>() + all.numel()};
}

TermValue& term_of(StepDone& done, const LossTerm& term) {
  const auto known = std::find_if(done.terms.begin(), done.terms.end(),
                                  [&](const TermValue& value) { return value.name == term.name; });
  if (known != done.terms.end()) return *known;
  return done.terms.emplace_back(TermValue{.name = term.name, .value = 0, .weight = term.weight});
}

}  // namespace

at::Tensor add_terms(StepDone& done, const Step& step, const LossTerms& terms, double share,
                     const std::filesystem::path& run) {
  const auto numbers = numbers_of(terms, step);
  at::Tensor total;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto& term = terms[i];
    if (!std::isfinite(numbers[i])) {
      throw_error<Error>(
          "loss term '{}' is {} in task {}, step {} (learning rate {:g}); lower {} or check the "
          "data{}",
          term.name, numbers[i], step.task().number, done.position.task_step + 1, done.lr,
          step.task().number == 1 ? "train.lr" : "train.lr_next",
          !run.empty() && has_checkpoint(run) ? "; the last checkpoint is kept" : "");
    }
    const auto weighted = term.weight == 1.0 ? term.value : term.value * term.weight;
    total = total.defined() ? total + weighted : weighted;
    term_of(done, term).value += share * numbers[i];
    done.loss += share * numbers[i] * term.weight;
  }
  for (size_t i = 0; i < step.notes().size(); ++i)
    done.notes[step.notes()[i].first] += numbers[terms.size() + i];
  return share == 1.0 ? total : total * share;
}

void measure_gradients(StepDone& done, const LossTerms& terms, const at::Tensor& probe) {
  for (const auto& term : terms) {
    auto& measured = term_of(done, term).gradient;
    measured = 0;
    if (!term.value.requires_grad()) continue;
    const auto gradient = torch::autograd::grad({term.value}, {probe}, {}, /*retain_graph=*/true,
                                                /*create_graph=*/false, /*allow_unused=*/true)[0];
    if (gradient.defined()) measured = term.weight * gradient.norm().item<double>();
  }
}

}  // namespace lethe
