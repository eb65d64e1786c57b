#include "lethe/run/stream_history.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace lethe {

using nlohmann::ordered_json;

namespace {

ordered_json optional_json(const std::optional<int64_t>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::optional<int64_t> to_optional(const ordered_json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<int64_t>();
}

}  // namespace

DataOptions data_options(const AddedEvent& added) {
  DataOptions options;
  ConfigText::from_string(added.data, "data of a later event").apply(config_fields(options));
  return options;
}

ordered_json to_json(const AddedEvent& added) {
  const auto& event = added.event;
  ordered_json json = {{"kind", name_of(event.kind)},
                       {"classes", event.classes},
                       {"with_images", event.with_images},
                       {"forgotten_images", event.forgotten_images},
                       {"epochs", optional_json(event.epochs)},
                       {"steps", optional_json(event.steps)},
                       {"data", added.data},
                       {"sets", added.sets}};
  if (event.exact) json["exact"] = true;
  return json;
}

AddedEvent to_added_event(const ordered_json& json) {
  return {.event = {.kind = event_kind(json.at("kind")),
                    .classes = json.at("classes"),
                    .with_images = json.at("with_images"),
                    .forgotten_images = json.value("forgotten_images", false),
                    .epochs = to_optional(json.at("epochs")),
                    .steps = to_optional(json.at("steps")),
                    .exact = json.value("exact", false)},
          .data = json.at("data"),
          .sets = json.at("sets")};
}

std::vector<std::string> StreamHistory::all_names() const {
  auto names = class_names;
  for (const auto& [event, data, sets, is_gone] : added) {
    if (event.kind != EventKind::kLearn) continue;
    for (const auto& name : event.classes) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

StreamHistory read_history(const Ledger& ledger) {
  StreamHistory history;
  std::map<std::string, size_t> learned_by;  // how many commands there were when it was learned
  for (const auto& line : ledger.lines()) {
    if (line.contains("classes")) history.class_names = line.at("classes");
    if (line.contains(kCommandKey)) history.added.push_back(to_added_event(line.at(kCommandKey)));
    if (line.contains("learned")) {
      for (const auto& name : line.at("learned")) learned_by[name] = history.added.size();
    }
    if (line.contains("erased")) {
      for (const auto& [name, parts] : line.at("erased").items()) learned_by.erase(name);
    }
  }
  for (size_t i = 0; i < history.added.size(); ++i) {
    auto& added = history.added[i];
    added.is_gone = added.event.kind == EventKind::kLearn &&
                    std::none_of(learned_by.begin(), learned_by.end(),
                                 [&](const auto& one) { return one.second == i + 1; });
  }
  return history;
}

}  // namespace lethe
