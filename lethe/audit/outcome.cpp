#include "lethe/audit/outcome.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "lethe/core/error.h"

namespace lethe {

namespace {

constexpr std::array<std::pair<Outcome, const char*>, 8> kNames = {
    {{Outcome::kPassed, "passed"},
     {Outcome::kFailed, "failed"},
     {Outcome::kInconclusive, "inconclusive"},
     {Outcome::kNotMeasured, "not measured"},
     {Outcome::kNotAvailable, "not available"},
     {Outcome::kNotApplicable, "not applicable"},
     {Outcome::kNeverLearned, "never learned"},
     {Outcome::kInformation, "information"}}};

constexpr double kOneSided = 1.6449;  // the 95 % quantile of the normal distribution
constexpr double kMost = 1e6;         // a larger number is no advice

}  // namespace

const char* name_of(Outcome outcome) {
  for (const auto& [known, name] : kNames) {
    if (known == outcome) return name;
  }
  return "";
}

Outcome outcome_of(const std::string& name) {
  for (const auto& [outcome, known] : kNames) {
    if (name == known) return outcome;
  }
  throw_error<DataError>("'{}' is not an outcome of a check", name);
}

Outcome decide(const Excess& excess, double margin) {
  if (!std::isfinite(excess.low) || !std::isfinite(excess.high)) return Outcome::kNotMeasured;
  constexpr double kRounding = 1e-9;
  if (excess.high <= margin + kRounding) return Outcome::kPassed;
  if (excess.low > margin) return Outcome::kFailed;
  return Outcome::kInconclusive;
}

std::string what_would_decide(const Excess& excess, double margin, const std::string& unit) {
  // The standard error at which the interval ends at the margin.
  const double needed = std::abs(margin - excess.value) / kOneSided;
  const double by_oracles = excess.oracle_error.value_or(0);
  const auto times = [](double part, double allowed) { return part * part / (allowed * allowed); };
  const double rest_for_images = needed * needed - by_oracles * by_oracles;
  if (rest_for_images > 0) {
    const double images = std::ceil(static_cast<double>(excess.images) *
                                    times(excess.image_error, std::sqrt(rest_for_images)));
    if (images <= kMost) return fmt::format("about {:.0f} {} would decide", images, unit);
  }
  const double rest_for_oracles = needed * needed - excess.image_error * excess.image_error;
  if (rest_for_oracles > 0 && by_oracles > 0) {
    const double oracles = std::ceil(static_cast<double>(excess.oracles) *
                                     times(by_oracles, std::sqrt(rest_for_oracles)));
    if (oracles <= kMost) return fmt::format("about {:.0f} oracles would decide", oracles);
  }
  return fmt::format("the excess is too close to the margin: more {} and more oracles are needed",
                     unit);
}

}  // namespace lethe
