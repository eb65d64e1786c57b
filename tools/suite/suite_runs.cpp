#include "tools/suite/suite_runs.h"

#include <cctype>

#include "lethe/method/registry.h"

namespace lethe {

SuiteRun run_of(const std::string& method, const std::string& change,
                std::vector<std::string> sets) {
  const std::string label = change.empty() ? method : method + " " + change;
  std::string folder = method_folder(method) + (change.empty() ? "" : "-" + change);
  for (char& c : folder) {
    if (c == '*') c = 's';
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') c = '-';
  }
  std::vector<std::string> all = {"method.name=" + method};
  for (auto& set : sets) all.push_back(std::move(set));
  return {.label = label, .folder = folder, .sets = std::move(all)};
}

SuiteRun changed(const std::string& method, const std::string& section, const std::string& change,
                 std::vector<std::string> more) {
  more.push_back(section + "." + change);
  return run_of(method, change, std::move(more));
}

std::vector<SuiteRun> search_runs(const std::vector<WeightSearch>& searches) {
  std::vector<SuiteRun> runs;
  for (const auto& [method, key, values] : searches) {
    const auto dot = key.rfind('.');
    for (const auto& value : values)
      runs.push_back(changed(method, key.substr(0, dot), key.substr(dot + 1) + '=' + value));
  }
  return runs;
}

}  // namespace lethe
