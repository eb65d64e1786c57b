#include "lethe/audit/options.h"

namespace lethe {

Fields config_fields(AuditOptions& o) {
  return {
      common({"audit.oracles", &o.oracles,
              "how many networks are trained without the forgotten classes, to compare with; more "
              "of them narrow the intervals",
              at_least(1)}),
      {"audit.oracle_method", &o.oracle_method,
       "method of these networks: same = the run's method with its options; the name of a method = "
       "that method with its default options, so that audits of several methods share them"},
      {.key = "audit.cache",
       .target = &o.cache,
       .help = "folder of these networks, shared by all audits; empty = lethe/oracles in "
               "XDG_CACHE_HOME, else in ~/.cache",
       .is_path = true},
  };
}

}  // namespace lethe
