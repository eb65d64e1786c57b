#include "lethe/audit/record.h"

#include <cmath>
#include <limits>

#include "lethe/core/error.h"

namespace lethe {

using nlohmann::ordered_json;

namespace {

constexpr int64_t kFormat = 1;

// JSON has no NaN.
ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}
ordered_json number(const std::optional<double>& value) {
  return value ? number(*value) : ordered_json(nullptr);
}
double to_number(const ordered_json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}
std::optional<double> to_optional(const ordered_json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

ordered_json to_json(const Excess& e) {
  return {{"model", number(e.model)},
          {"oracles_mean", number(e.reference)},
          {"excess", number(e.value)},
          {"low_95", number(e.low)},
          {"high_95", number(e.high)},
          {"error_of_images", number(e.image_error)},
          {"error_of_oracles", number(e.oracle_error)},
          {"images", e.images},
          {"oracles", e.oracles}};
}

Excess to_excess(const ordered_json& json) {
  return {.model = to_number(json.at("model")),
          .reference = to_number(json.at("oracles_mean")),
          .value = to_number(json.at("excess")),
          .low = to_number(json.at("low_95")),
          .high = to_number(json.at("high_95")),
          .image_error = to_number(json.at("error_of_images")),
          .oracle_error = to_optional(json.at("error_of_oracles")),
          .images = json.at("images"),
          .oracles = json.at("oracles")};
}

ordered_json to_json(const ClassFigure& own) {
  ordered_json json = {{"class", own.name}, {"model", number(own.model)}};
  json["oracles_mean"] = number(own.oracle);
  json["start"] = number(own.start);
  json["pixels"] = number(own.pixels);
  if (own.images > 0) {
    const auto exact = clopper_pearson(own.hits, own.images);
    json.update({{"hits", own.hits},
                 {"images", own.images},
                 {"exact_low_95", exact.low},
                 {"exact_high_95", exact.high}});
  }
  return json;
}

ClassFigure to_class_figure(const ordered_json& json) {
  return {.name = json.at("class"),
          .model = to_number(json.at("model")),
          .oracle = to_optional(json.at("oracles_mean")),
          .start = to_optional(json.at("start")),
          .pixels = to_optional(json.at("pixels")),
          .hits = json.value("hits", int64_t{0}),
          .images = json.value("images", int64_t{0})};
}

}  // namespace

ordered_json to_json(const CheckRecord& check) {
  ordered_json classes = ordered_json::array();
  for (const auto& own : check.classes) classes.push_back(to_json(own));
  return {{"check", check.check},
          {"title", check.title},
          {"figure", check.figure},
          {"stage", check.stage},
          {"last_stage", check.is_last_stage},
          {"outcome", name_of(check.outcome)},
          {"gated", check.gated},
          {"pooled", check.excess ? to_json(*check.excess) : ordered_json(nullptr)},
          {"margin", number(check.margin)},
          {"start", number(check.start)},
          {"pixels", number(check.pixels)},
          {"before", number(check.before)},
          {"classes", classes},
          {"note", check.note}};
}

CheckRecord to_check(const ordered_json& json) {
  CheckRecord check{.check = json.at("check"),
                    .title = json.at("title"),
                    .figure = json.at("figure"),
                    .stage = json.at("stage"),
                    .is_last_stage = json.at("last_stage"),
                    .outcome = outcome_of(json.at("outcome")),
                    .gated = json.at("gated"),
                    .excess = std::nullopt,
                    .margin = to_optional(json.at("margin")),
                    .start = to_optional(json.at("start")),
                    .pixels = to_optional(json.at("pixels")),
                    .before = to_optional(json.at("before")),
                    .classes = {},
                    .note = json.at("note")};
  if (!json.at("pooled").is_null()) check.excess = to_excess(json.at("pooled"));
  for (const auto& own : json.at("classes")) check.classes.push_back(to_class_figure(own));
  return check;
}

ordered_json to_json(const ReferenceRecord& own) {
  return {{"name", own.name},       {"model", own.model_hash}, {"seed", own.seed},
          {"seconds", own.seconds}, {"images", own.images},    {"from_cache", own.from_cache}};
}

ReferenceRecord to_reference(const ordered_json& json) {
  return {.name = json.at("name"),
          .model_hash = json.at("model"),
          .seed = json.at("seed"),
          .seconds = json.at("seconds"),
          .images = json.at("images"),
          .from_cache = json.at("from_cache")};
}

ordered_json to_json(const AuditRecord& record) {
  ordered_json references = ordered_json::array(), checks = ordered_json::array();
  for (const auto& own : record.references) references.push_back(to_json(own));
  for (const auto& check : record.checks) checks.push_back(to_json(check));
  return {{"format", kFormat},
          {"run", record.run},
          {"method", record.method},
          {"version", record.version},
          {"model", record.model_hash},
          {"data", record.data_hash},
          {"config", record.config_hash},
          {"forgotten", record.forgotten},
          {"kept", record.kept},
          {"never_learned", record.never_learned},
          {"unit", record.unit},
          {"fit_rows", record.fit_rows},
          {"test_rows", record.test_rows},
          {"fit_source", record.fit_source},
          {"references", references},
          {"checks", checks},
          {"remarks", record.remarks},
          {"request_seconds", record.request_seconds},
          {"seed", record.seed},
          {"draws", record.draws}};
}

AuditRecord to_audit_record(const ordered_json& json, const std::string& origin) {
  try {
    if (json.at("format").get<int64_t>() != kFormat)
      throw_error<DataError>("{}: was written by another version of lethe", origin);
    AuditRecord record{.run = json.at("run"),
                       .method = json.at("method"),
                       .version = json.at("version"),
                       .model_hash = json.at("model"),
                       .data_hash = json.at("data"),
                       .config_hash = json.at("config"),
                       .forgotten = json.at("forgotten"),
                       .kept = json.at("kept"),
                       .never_learned = json.at("never_learned"),
                       .unit = json.at("unit"),
                       .fit_rows = json.at("fit_rows"),
                       .test_rows = json.at("test_rows"),
                       .fit_source = json.at("fit_source"),
                       .references = {},
                       .checks = {},
                       .remarks = json.at("remarks"),
                       .request_seconds = json.at("request_seconds"),
                       .seed = json.at("seed"),
                       .draws = json.at("draws")};
    for (const auto& own : json.at("references")) record.references.push_back(to_reference(own));
    for (const auto& check : json.at("checks")) record.checks.push_back(to_check(check));
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw_error<DataError>("{}: is not the record of an audit ({})", origin, error.what());
  }
}

}  // namespace lethe
