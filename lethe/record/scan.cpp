#include "lethe/record/scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lethe/record/ledger.h"
#include "lethe/record/purge.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json marks_json(const TaskDone& done, const TaskPlan& plan) {
  ordered_json all = ordered_json::object();
  for (const auto& erased : done.erased) {
    ordered_json marks = ordered_json::array();
    for (const auto& mark : erased.marks)
      marks.push_back({{"bytes", mark.bytes},
                       {"rolling", fmt::format("{:016x}", mark.rolling)},
                       {"sha256", mark.sha256}});
    all[plan.class_name(erased.id)] = marks;
  }
  return all;
}

Scan scan_run(const fs::path& run) {
  const Ledger ledger(run);
  std::vector<ByteMark> marks;
  std::vector<std::string> names;  // of the classes, by mark
  for (const auto& line : ledger.lines()) {
    if (!line.contains(kMarksKey)) continue;
    for (const auto& [name, own] : line.at(kMarksKey).items()) {
      for (const auto& mark : own) {
        marks.push_back({.bytes = mark.at("bytes"),
                         .rolling = std::stoull(mark.at("rolling").get<std::string>(), nullptr, 16),
                         .sha256 = mark.at("sha256")});
        names.push_back(name);
      }
    }
  }
  Scan scan;
  scan.marks = static_cast<int64_t>(marks.size());
  if (marks.empty()) return scan;
  const auto leftovers = find_leftovers(run).files;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    if (!entry.is_regular_file()) continue;
    ++scan.files;
    const auto file = entry.path().lexically_relative(run).string();
    const bool is_kept = std::any_of(leftovers.begin(), leftovers.end(),
                                     [&](const std::string& one) { return file.starts_with(one); });
    std::set<std::string> classes;
    for (const auto index : find_marks(entry.path(), marks)) classes.insert(names[index]);
    for (const auto& name : classes)
      (is_kept ? scan.kept : scan.found)
          .push_back(fmt::format("{}: contains a row of '{}'", file, name));
  }
  return scan;
}

}  // namespace lethe
