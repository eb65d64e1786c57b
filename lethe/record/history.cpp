#include "lethe/record/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "lethe/core/error.h"
#include "lethe/core/short_list.h"
#include "lethe/core/text.h"
#include "lethe/metrics/verdict.h"
#include "lethe/record/run_files.h"
#include "lethe/record/verify.h"

namespace lethe {

using nlohmann::ordered_json;

namespace {

std::string list_text(const ordered_json& names) {
  std::vector<std::string> all;
  for (const auto& name : names) all.push_back(visible(name.get<std::string>()));
  return short_list(all);
}

// "T-shirt/top: forgotten (84.6 % to 3.1 %)"
std::string verdict_text(const ordered_json& request) {
  std::vector<std::string> all;
  const auto& accuracy = request.at("accuracy");
  for (const auto& [name, verdict] : request.at("verdict").items()) {
    auto text = fmt::format("{}: {}", visible(name), verdict.get<std::string>());
    const auto& before = accuracy.at("before").at(name);
    if (before.is_number())
      text += fmt::format(" ({:.1f} % to {:.1f} %)", 100 * before.get<double>(),
                          100 * accuracy.at("after").at(name).get<double>());
    all.push_back(std::move(text));
  }
  return short_list(all);
}

// What earlier lines say.
struct Earlier {
  int64_t event = -1;
  std::set<std::string> forgotten;  // and not learned again
};

void add_line(Earlier& earlier, const ordered_json& line) {
  earlier.event = line.at("event");
  if (line.contains("learned")) {
    for (const auto& name : line.at("learned")) earlier.forgotten.erase(name.get<std::string>());
  }
  if (line.contains("requests")) {
    for (const auto& request : line.at("requests")) {
      for (const auto& [name, verdict] : request.at("verdict").items()) {
        if (verdict == name_of(Verdict::kForgotten)) earlier.forgotten.insert(name);
      }
    }
  }
  if (line.contains("erased")) {
    for (const auto& [name, parts] : line.at("erased").items()) earlier.forgotten.insert(name);
  }
}

std::string lines_of(const ordered_json& line, const Earlier& earlier) {
  // A purge has the number of the event before it.
  const bool is_event = line.at("event") != earlier.event;
  auto text =
      fmt::format("{:>3}  {}  {}", is_event ? std::to_string(line.at("event").get<int64_t>()) : "-",
                  line.at("time").get<std::string>(), line.at("kind").get<std::string>());
  const auto add = [&](const std::string& more) { text += "\n     " + more; };
  if (line.at("event") == 0)
    add(fmt::format("method: {}, seed: {}, protocol: {}", line.at("method").get<std::string>(),
                    line.at("seed").get<int64_t>(), line.at("protocol").get<std::string>()));
  if (line.contains("learned")) {
    auto first = ordered_json::array();
    auto again = ordered_json::array();
    for (const auto& name : line.at("learned"))
      (earlier.forgotten.contains(name.get<std::string>()) ? again : first).push_back(name);
    if (!first.empty()) add("learned: " + list_text(first));
    if (!again.empty()) add("learned again: " + list_text(again));
  }
  if (line.contains("requests")) {
    for (const auto& request : line.at("requests")) add("request: " + verdict_text(request));
  }
  if (line.contains("retrained")) {
    const auto& made = line.at("retrained");
    add(fmt::format("trained again from the beginning without these classes: {}, {}, {:.0f} s",
                    counted(made.at("tasks").get<int64_t>(), "task"),
                    counted(made.at("images").get<int64_t>(), "image"),
                    made.at("seconds").get<double>()));
  }
  if (line.contains("accepted")) add("accepted: " + line.at("accepted").get<std::string>());
  if (line.contains("replayed")) add(line.at("replayed").get<std::string>());
  if (line.contains("reason")) add("reason: " + visible(line.at("reason").get<std::string>()));
  if (line.contains("command") && line.at("command").value("forgotten_images", false))
    add("used: images of the classes to forget, as the operator allowed");
  if (line.contains("erased")) {
    for (const auto& [name, parts] : line.at("erased").items())
      add(fmt::format("erased: {} ({})", visible(name), list_text(parts)));
  }
  if (line.contains("removed") && !line.at("removed").empty())
    add("removed: " + list_text(line.at("removed")));
  if (line.contains("model"))
    add("model: " + line.at("model").at("after").get<std::string>().substr(0, 16));
  return text + '\n';
}

}  // namespace

std::string history_text(const std::filesystem::path& run) {
  verify_run(run);           // throws if it is not a run directory
  const Ledger ledger(run);  // throws if the ledger was changed
  if (ledger.empty())
    throw_error<DataError>("{}: {}", (run / kLedgerFile).string(),
                           ledger.has_torn_line() ? "has no complete line" : "is empty");
  std::string text;
  Earlier earlier;
  for (const auto& line : ledger.lines()) {
    text += lines_of(line, earlier);
    add_line(earlier, line);
  }
  return text + "head: " + ledger.head() + '\n';
}

std::vector<std::string> not_forgotten(const Ledger& ledger) {
  std::map<std::string, std::string> verdicts;
  for (const auto& line : ledger.lines()) {
    if (!line.contains("requests")) continue;
    for (const auto& request : line.at("requests")) {
      for (const auto& [name, verdict] : request.at("verdict").items()) verdicts[name] = verdict;
    }
    if (!line.contains("erased")) continue;
    for (const auto& [name, parts] : line.at("erased").items()) verdicts.erase(name);
  }
  std::vector<std::string> names;
  for (const auto& [name, verdict] : verdicts) {
    if (verdict == name_of(Verdict::kNotForgotten) || verdict == name_of(Verdict::kNoEffect))
      names.push_back(name);
  }
  return names;
}

std::string erasure_text(const Ledger& ledger, int64_t since_event) {
  std::vector<std::string> erased;
  std::vector<std::string> removed;
  for (const auto& line : ledger.lines()) {
    if (line.at("event") < since_event || !line.contains("erased")) continue;
    for (const auto& [name, parts] : line.at("erased").items())
      erased.push_back(fmt::format("{} ({})", visible(name), list_text(parts)));
    for (const auto& name : line.at("removed")) removed.push_back(name.get<std::string>());
  }
  std::string text;
  if (!erased.empty()) {
    text += fmt::format("erased from the model: {}\n", fmt::join(erased, "; "));
    if (!removed.empty()) text += fmt::format("removed: {}\n", short_list(removed));
    text +=
        "out of reach of lethe: the data itself, prepared datasets, copies and backups of this "
        "folder\n";
  }
  return text;
}

std::string head_text(const Ledger& ledger) {
  return fmt::format("head of the ledger: {}\n", ledger.head());
}

}  // namespace lethe
