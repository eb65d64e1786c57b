// The [audit] section of a configuration.
#pragma once

#include <cstdint>
#include <string>

#include "lethe/core/config.h"

namespace lethe {

// The value of audit.oracle_method that stands for the method of the audited run.
inline constexpr const char* kSameMethod = "same";

struct AuditOptions {
  int64_t oracles = 3;                      // networks that never saw the forgotten classes
  std::string oracle_method = kSameMethod;  // or the name of a method
  std::string cache;                        // folder of the oracles; empty = default_oracle_cache()
};
Fields config_fields(AuditOptions& options);

}  // namespace lethe
