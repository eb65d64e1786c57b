#include "lethe/record/training_cost.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lethe/core/error.h"
#include "lethe/core/files.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::json;

TrainingCost& TrainingCost::operator+=(const TrainingCost& other) {
  seconds += other.seconds;
  images += other.images;
  return *this;
}

std::map<int64_t, TrainingCost> training_costs(const fs::path& metrics_file) {
  std::map<int64_t, TrainingCost> costs;
  if (!fs::exists(metrics_file)) return costs;
  auto text = read_text(metrics_file);
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n'));
  std::istringstream lines(text);
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      const auto record = json::parse(line);
      if (record.at("type") != "steps") continue;
      const auto& time = record.at("time");
      costs[record.at("task")] += {.seconds = time.at("seconds"), .images = time.at("images")};
    } catch (const json::exception& error) {
      throw_error<DataError>("{}:{}: is not a record written by this program: {}",
                             metrics_file.string(), number, error.what());
    }
  }
  return costs;
}

TrainingCost expected_cost(const TrainingCost& was, int64_t images_then, int64_t images_now) {
  if (images_then == 0) return {};
  const auto ratio = static_cast<double>(images_now) / static_cast<double>(images_then);
  return {.seconds = ratio * was.seconds,
          .images = static_cast<int64_t>(ratio * static_cast<double>(was.images))};
}

TrainingCost cost_until(const std::map<int64_t, TrainingCost>& costs, int64_t last) {
  TrainingCost sum;
  for (const auto& [event, cost] : costs) {
    if (event <= last) sum += cost;
  }
  return sum;
}

}  // namespace lethe
