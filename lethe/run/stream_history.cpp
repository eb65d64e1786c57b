#include "lethe/run/stream_history.h"

#include <algorithm>
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
  return {{"kind", name_of(event.kind)},
          {"classes", event.classes},
          {"with_images", event.with_images},
          {"forgotten_images", event.forgotten_images},
          {"epochs", optional_json(event.epochs)},
          {"steps", optional_json(event.steps)},
          {"data", added.data},
          {"sets", added.sets}};
}

AddedEvent to_added_event(const ordered_json& json) {
  const bool learns = json.at("kind") == name_of(EventKind::kLearn);
  return {.event = {.kind = learns ? EventKind::kLearn : EventKind::kForget,
                    .classes = json.at("classes"),
                    .with_images = json.at("with_images"),
                    .forgotten_images = json.value("forgotten_images", false),
                    .epochs = to_optional(json.at("epochs")),
                    .steps = to_optional(json.at("steps"))},
          .data = json.at("data"),
          .sets = json.at("sets")};
}

std::vector<std::string> StreamHistory::all_names() const {
  auto names = class_names;
  for (const auto& [event, data, sets] : added) {
    if (event.kind != EventKind::kLearn) continue;
    for (const auto& name : event.classes) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

StreamHistory read_history(const Ledger& ledger) {
  StreamHistory history;
  for (const auto& line : ledger.lines()) {
    if (line.contains("classes")) history.class_names = line.at("classes");
    if (line.contains(kCommandKey)) history.added.push_back(to_added_event(line.at(kCommandKey)));
  }
  return history;
}

}  // namespace lethe
