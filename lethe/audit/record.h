// The record of an audit, audit.json: every figure, interval, count and threshold. The verdict, the
// summary and the page are made from it alone.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lethe/audit/outcome.h"
#include "lethe/metrics/interval.h"

namespace lethe {

// A figure of one class.
struct ClassFigure {
  std::string name;
  double model = 0;
  std::optional<double> oracle, start, pixels;
  int64_t hits = 0, images = 0;  // of an accuracy: with these its exact interval can be computed
};

struct CheckRecord {
  std::string check;   // "probe", as in audit.gate
  std::string title;   // "linear probe, stage 4 (last)"
  std::string figure;  // what the numbers are: "balanced accuracy"
  std::string stage;   // "4", or empty
  bool is_last_stage = false;
  Outcome outcome = Outcome::kInformation;
  bool gated = false;
  // Pooled over classes. Not set if nothing was measured.
  std::optional<Excess> excess;
  std::optional<double> margin;
  std::optional<double> start, pixels, before;  // the same figure of other references
  std::vector<ClassFigure> classes;
  std::string note;  // why there is no figure, what would decide, and other remarks
};

// One reference model, and what it cost.
struct ReferenceRecord {
  std::string name;  // "oracle 1"
  std::string model_hash;
  int64_t seed = 0;
  double seconds = 0;
  int64_t images = 0;
  bool from_cache = false;
};

struct AuditRecord {
  std::string run, method;
  int64_t version = 0;  // the event that wrote the audited model
  std::string model_hash, data_hash, config_hash;
  std::vector<std::string> forgotten, kept;  // the classes that were measured
  std::vector<std::string> never_learned;
  std::string unit;  // "images" or "pixels"
  int64_t fit_rows = 0, test_rows = 0;
  std::string fit_source;  // where the rows that probes learn from come from
  std::vector<ReferenceRecord> references;
  std::vector<CheckRecord> checks;
  std::vector<std::string> remarks;
  double request_seconds = 0;  // what the request cost, beside the oracles
  uint64_t seed = 0;
  int64_t draws = 0;
};

nlohmann::ordered_json to_json(const CheckRecord& check);
CheckRecord to_check(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const ReferenceRecord& reference);
ReferenceRecord to_reference(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const AuditRecord& record);
// Throws DataError naming origin if it is not the record of an audit.
AuditRecord to_audit_record(const nlohmann::ordered_json& json, const std::string& origin);

}  // namespace lethe
