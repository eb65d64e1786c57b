#include "tools/suite/paper_values.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "lethe/core/config.h"
#include "lethe/core/error.h"
#include "lethe/core/toml.h"

namespace lethe {

namespace {

constexpr const char* kEveryDataset = "*";

PaperScores to_scores(const nlohmann::json& table, const std::string& origin) {
  if (!table.is_object())
    throw_error<ConfigError>("{}: must be a table such as {{ A = 39.7, F = 74.6, S = 51.8 }}",
                             origin);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double a = kNone, f = kNone, s = kNone;
  apply_table(table, origin, {},
              {{"A", &a, "accuracy of kept classes", between(0, 100)},
               {"F", &f, "fall of accuracy of forgotten classes", between(0, 100)},
               {"S", &s, "harmonic mean of A and F", between(0, 100)}});
  const auto given = [](double value) {
    return std::isnan(value) ? std::nullopt : std::optional<double>(value);
  };
  return {.a = given(a), .f = given(f), .s = given(s)};
}

}  // namespace

PaperValues PaperValues::parse(std::string_view toml, const std::string& origin) {
  PaperValues values;
  const auto tables = parse_toml(toml, origin);
  for (const auto& [data, column] : tables.items()) {
    if (!column.is_object())
      throw_error<ConfigError>("{}: {}: must be a section, [{}], with a line per run", origin, data,
                               data);
    for (const auto& [label, scores] : column.items())
      values.values_[data][label] =
          to_scores(scores, fmt::format("{}: {}.\"{}\"", origin, data, label));
  }
  return values;
}

PaperScores PaperValues::find(const std::string& data, const std::string& label) const {
  for (const auto& name : {data, std::string(kEveryDataset)}) {
    const auto column = values_.find(name);
    if (column == values_.end()) continue;
    const auto scores = column->second.find(label);
    if (scores != column->second.end()) return scores->second;
  }
  return {};
}

std::vector<std::string> PaperValues::cells(const std::string& data,
                                            const std::string& label) const {
  const auto printed = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.1f}", *value) : "";
  };
  const auto scores = find(data, label);
  return {printed(scores.a), printed(scores.f), printed(scores.s)};
}

}  // namespace lethe
