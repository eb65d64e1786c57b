#include "lethe/audit/page_text.h"

#include <fmt/format.h>

#include <cmath>

#include "lethe/report/table.h"

namespace lethe {

namespace {

bool counts_steps(const CheckRecord& check) { return check.check == "relearning"; }
bool is_area(const CheckRecord& check) { return check.check == "membership"; }

std::string value_text(const CheckRecord& check, double value) {
  if (!std::isfinite(value)) return "-";
  if (counts_steps(check)) return fmt::format("{:.0f} steps", value);
  if (is_area(check)) return fmt::format("{:.3f}", value);
  return percent(value);
}

std::string difference_text(const CheckRecord& check, double value) {
  if (counts_steps(check)) return fmt::format("{:.2f}", value);
  if (is_area(check)) return fmt::format("{:+.3f}", value);
  return signed_points(value);
}

}  // namespace

std::string model_text(const CheckRecord& check) {
  return check.excess ? value_text(check, check.excess->model) : "-";
}

std::string reference_text(const CheckRecord& check) {
  return check.excess ? value_text(check, check.excess->reference) : "-";
}

std::string excess_text(const CheckRecord& check) {
  if (!check.excess || !std::isfinite(check.excess->low)) return "-";
  const auto& e = *check.excess;
  return fmt::format("{}{} ({} to {})", counts_steps(check) ? "x" : "",
                     difference_text(check, e.value), difference_text(check, e.low),
                     difference_text(check, e.high));
}

std::string margin_text(const CheckRecord& check) {
  if (!check.margin) return "-";
  if (counts_steps(check)) return fmt::format("at least x{:.2f}", *check.margin);
  if (is_area(check)) return fmt::format("+-{:.3f}", *check.margin);
  return fmt::format("+{}", percent(*check.margin));
}

}  // namespace lethe
