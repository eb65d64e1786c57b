// The [audit] section of a configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lethe/core/config.h"

namespace lethe {

struct AuditCheck {
  const char* name;
  const char* question;  // one line
  bool is_quick;         // trains nothing
};
// In the order of the report.
const std::vector<AuditCheck>& audit_check_list();

// Their names.
const std::vector<std::string>& audit_checks();

// Those that train nothing: for a quick look.
const std::vector<std::string>& quick_checks();

// The value of audit.oracle_method that stands for the method of the audited run.
inline constexpr const char* kSameMethod = "same";

struct AuditOptions {
  bool after_each_event = false;            // `lethe run` audits every event that forgets
  int64_t oracles = 3;                      // models that never saw the forgotten classes
  std::string oracle_method = kSameMethod;  // or the name of a method
  std::string cache;                        // folder of the oracles; empty = the user's cache
  std::vector<std::string> gate = {"outputs", "probe", "5-shot", "control", "files"};
  int64_t draws = 2000;         // of the bootstrap
  int64_t seed = 0;             // of everything that is drawn
  int64_t fit_rows = 500;       // per class: rows that probes learn from; 0 = all
  int64_t test_rows = 0;        // per class: rows of the test images; 0 = all
  int64_t pixels = 2000;        // masks, per class: the same for both
  int64_t relearn_steps = 200;  // most steps of relearning
  // Margins, as fractions.
  double outputs_margin = 0.02;
  double probe_margin = 0.02;
  double neighbours_margin = 0.02;
  double shots_margin = 0.03;
  double graft_margin = 0.02;
  double control_margin = 0.02;
  double membership_margin = 0.05;
  double relearn_ratio = 0.8;
  double kept_fall = 0.10;
  double mean_fall = 0.02;
};
Fields config_fields(AuditOptions& options);

}  // namespace lethe
