#include "lethe/audit/feature_figures.h"

#include <ATen/ATen.h>

#include <utility>

#include "lethe/metrics/few_shot.h"

namespace lethe {

namespace {

constexpr int64_t kDraws = 20;  // choices of the few rows

at::Tensor numbers(const at::Tensor& chosen) { return chosen.nonzero().squeeze(1); }

}  // namespace

bool Truth::has(ClassId id) const {
  return (fit == id).sum().item<int64_t>() >= 2 && (test == id).sum().item<int64_t>() >= 2;
}

Figure accuracy_figure(const Truth& truth, ClassId id, const at::Tensor& hits) {
  const auto own = numbers(truth.test == id);
  return {
      .groups = {{.rows = own, .hits = hits.index_select(0, own).to(at::kDouble), .factor = 1}}};
}

StageFigures::StageFigures(const Truth& truth, at::Tensor fit, at::Tensor test)
    : truth_(truth), fit_(std::move(fit)), test_(std::move(test)) {}
StageFigures::~StageFigures() = default;
StageFigures::StageFigures(StageFigures&&) noexcept = default;

Figure StageFigures::balanced(ClassId id, const at::Tensor& found) const {
  const auto is_own = truth_.test == id;
  const auto own = numbers(is_own);
  const auto rest = numbers(is_own.logical_not());
  return {
      .groups = {{.rows = own, .hits = found.index_select(0, own).to(at::kDouble), .factor = 0.5},
                 {.rows = rest,
                  .hits = found.logical_not().index_select(0, rest).to(at::kDouble),
                  .factor = 0.5}}};
}

Figure StageFigures::probe(ClassId id) {
  if (!probe_) probe_ = std::make_unique<LinearProbe>(fit_);
  return balanced(id, probe_->found(truth_.fit == id, test_));
}

Figure StageFigures::neighbours(ClassId id) {
  if (!neighbours_) neighbours_ = std::make_unique<Neighbours>(fit_, test_);
  return balanced(id, neighbours_->found(truth_.fit == id));
}

Figure StageFigures::shots(ClassId id, const ClassSet& rivals, int64_t count, uint64_t seed) {
  const auto own = numbers(truth_.test == id);
  const auto hits =
      few_shot_hits(fit_, truth_.fit, test_.index_select(0, own), truth_.test.index_select(0, own),
                    rivals, {.shots = count, .draws = kDraws, .seed = seed});
  return {.groups = {{.rows = own,
                      .hits = hits.defined() ? hits : at::zeros({own.size(0)}, at::kDouble),
                      .factor = 1}}};
}

}  // namespace lethe
