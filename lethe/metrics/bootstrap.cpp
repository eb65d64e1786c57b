#include "lethe/metrics/bootstrap.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lethe/core/random.h"

namespace lethe {

namespace {

constexpr double kTail = 0.05;
constexpr int64_t kChunk = 256;  // draws at a time: bounds the memory of the weights as double

at::Tensor finite(const at::Tensor& values) {
  return values.index_select(0, values.isfinite().nonzero().squeeze(1));
}

double deviation(const at::Tensor& values) {
  const auto known = finite(values);
  return known.size(0) < 2 ? 0 : known.std(/*unbiased=*/true).item<double>();
}

}  // namespace

double Figure::value() const {
  double sum = 0;
  for (const auto& group : groups) {
    if (group.rows.size(0) == 0) return std::numeric_limits<double>::quiet_NaN();
    sum += group.factor * group.hits.mean().item<double>();
  }
  return sum;
}

Figure mean_of(const std::vector<Figure>& figures) {
  Figure mean;
  for (const auto& figure : figures) {
    for (auto group : figure.groups) {
      group.factor /= static_cast<double>(figures.size());
      mean.groups.push_back(group);
    }
  }
  return mean;
}

Resampling::Resampling(const at::Tensor& unit_of_row, const at::Tensor& stratum_of_unit,
                       int64_t draws, uint64_t seed)
    : unit_of_row_(unit_of_row), times_(at::zeros({draws, stratum_of_unit.size(0)}, at::kByte)) {
  std::vector<std::vector<int64_t>> members;
  const auto* stratum = stratum_of_unit.data_ptr<int64_t>();
  for (int64_t unit = 0; unit < units(); ++unit) {
    const auto own = static_cast<size_t>(stratum[unit]);
    if (own >= members.size()) members.resize(own + 1);
    members[own].push_back(unit);
  }
  for (int64_t draw = 0; draw < draws; ++draw) {
    auto* times = times_[draw].data_ptr<uint8_t>();
    for (size_t own = 0; own < members.size(); ++own) {
      Random random(seed, Purpose::kBootstrap, static_cast<uint32_t>(draw),
                    static_cast<uint32_t>(own));
      const auto& units = members[own];
      for (size_t i = 0; i < units.size(); ++i) {
        auto& count = times[units[static_cast<size_t>(random.below(std::ssize(units)))]];
        if (count < std::numeric_limits<uint8_t>::max()) ++count;
      }
    }
  }
}

at::Tensor Resampling::values(const Figure& figure) const {
  const auto groups = static_cast<int64_t>(figure.groups.size());
  auto hits = at::zeros({units(), groups}, at::kDouble);
  auto counts = at::zeros({units(), groups}, at::kDouble);
  auto factors = at::empty({groups}, at::kDouble);
  for (int64_t g = 0; g < groups; ++g) {
    const auto& group = figure.groups[static_cast<size_t>(g)];
    const auto own = unit_of_row_.index_select(0, group.rows);
    hits.select(1, g).index_add_(0, own, group.hits.to(at::kDouble));
    counts.select(1, g).index_add_(0, own, at::ones({own.size(0)}, at::kDouble));
    factors[g] = group.factor;
  }
  std::vector<at::Tensor> parts;
  for (int64_t first = 0; first < draws(); first += kChunk) {
    const auto times = times_.slice(0, first, std::min(first + kChunk, draws())).to(at::kDouble);
    parts.push_back((times.matmul(hits) / times.matmul(counts)).matmul(factors));
  }
  return at::cat(parts);
}

double quantile(const at::Tensor& values, double fraction) {
  const auto known = finite(values);
  if (known.size(0) == 0) return std::numeric_limits<double>::quiet_NaN();
  return at::quantile(known, fraction).item<double>();
}

Excess excess_of(const Draws& model, const std::vector<Draws>& oracles, uint64_t seed, int sign) {
  Excess excess{.model = model.value, .oracles = std::ssize(oracles)};
  std::vector<at::Tensor> values, drawn;
  for (const auto& oracle : oracles) {
    excess.reference += oracle.value / static_cast<double>(oracles.size());
    values.push_back(at::scalar_tensor(oracle.value, at::kDouble));
    drawn.push_back(oracle.values);
  }
  excess.value = sign * (excess.model - excess.reference);
  const auto all = at::stack(drawn);  // [O, draws]
  const auto draws = all.size(1);
  excess.image_error = deviation(model.values - all.mean(0));
  auto reference = all.mean(0);
  if (oracles.size() > 1) {
    excess.oracle_error =
        deviation(at::stack(values)) / std::sqrt(static_cast<double>(oracles.size()));
    // Every draw has its own choice of oracles, with replacement.
    Random random(seed, Purpose::kBootstrap, std::numeric_limits<uint32_t>::max());
    std::vector<int64_t> chosen;
    for (int64_t i = 0; i < all.numel(); ++i) chosen.push_back(random.below(std::ssize(oracles)));
    reference = all.gather(0, at::tensor(chosen, at::kLong).reshape({-1, draws})).mean(0);
  }
  const auto differences = sign * (model.values - reference);
  excess.low = quantile(differences, kTail);
  excess.high = quantile(differences, 1 - kTail);
  return excess;
}

Excess excess_over(const Figure& model, const std::vector<Figure>& oracles,
                   const Resampling& resampling, uint64_t seed, int sign) {
  std::vector<Draws> drawn;
  drawn.reserve(oracles.size());
  for (const auto& oracle : oracles)
    drawn.push_back({.value = oracle.value(), .values = resampling.values(oracle)});
  auto excess =
      excess_of({.value = model.value(), .values = resampling.values(model)}, drawn, seed, sign);
  for (const auto& group : model.groups)
    excess.images =
        excess.images == 0 ? group.rows.size(0) : std::min(excess.images, group.rows.size(0));
  return excess;
}

}  // namespace lethe
