#include "lethe/run/audit_options.h"

namespace lethe {

const std::vector<AuditCheck>& audit_check_list() {
  static const std::vector<AuditCheck> checks = {
      {"outputs", "is a forgotten class still answered, with the task given or over all classes?",
       true},
      {"probe", "does a linear classifier find the class in the features of each stage?", true},
      {"k-nn", "do the 10 nearest neighbours find it?", true},
      {"5-shot", "are 5 images (and 1, and 20) enough to recognise it among its task?", true},
      {"graft", "does its classifier row from before the request still fit the features?", true},
      {"relearning", "is it relearned in fewer steps than by an oracle?", false},
      {"membership", "do the outputs tell its training images from its test images?", true},
      {"closer", "is the model closer to the oracles or to the version before?", true},
      {"control", "did probe and 5-shot of kept classes fall against the oracles?", true},
      {"collateral", "how much accuracy did kept classes lose in the events with requests?", true},
      {"relapse", "did a forgotten class come back in a later event?", true},
      {"files", "is anything of an erased class left in the files of the run?", true}};
  return checks;
}

namespace {

std::vector<std::string> names(bool quick_only) {
  std::vector<std::string> all;
  for (const auto& check : audit_check_list()) {
    if (check.is_quick || !quick_only) all.emplace_back(check.name);
  }
  return all;
}

}  // namespace

const std::vector<std::string>& audit_checks() {
  static const auto all = names(false);
  return all;
}

const std::vector<std::string>& quick_checks() {
  static const auto quick = names(true);
  return quick;
}

Fields config_fields(AuditOptions& o) {
  Field cache = {"audit.cache", &o.cache,
                 "folder that keeps trained oracles; empty = lethe/oracles in the user's cache"};
  cache.is_path = true;
  const auto margin = [](const char* key, double* value, const char* help) -> Field {
    return {key, value, help, at_least_below(0, 1)};
  };
  return {
      {"audit.after_each_event", &o.after_each_event,
       "audit the model after every event once a class was forgotten, while its version is there: "
       "shows whether a class comes back"},
      {"audit.oracles", &o.oracles, "number of oracles that an audit compares with", at_least(1)},
      {"audit.oracle_method", &o.oracle_method,
       "method that the oracles are trained with: same = that of the run; or one method for all, "
       "so that audits of several methods share their oracles"},
      cache,
      {"audit.gate", &o.gate,
       "checks that decide the exit status of `lethe audit` (`lethe list checks`)"},
      {"audit.draws", &o.draws, "bootstrap draws for intervals", at_least(100)},
      {"audit.seed", &o.seed, "seed of everything that an audit draws", at_least(0)},
      {"audit.fit_rows", &o.fit_rows,
       "images: largest number of training images per class that probes learn from; 0 = all",
       at_least(0)},
      {"audit.test_rows", &o.test_rows, "images: largest number of test images per class; 0 = all",
       at_least(0)},
      {"audit.pixels", &o.pixels,
       "masks: largest number of pixels per class, of training and of test images", at_least(1)},
      {"audit.relearn_steps", &o.relearn_steps, "largest number of steps of relearning",
       at_least(1)},
      margin("audit.outputs_margin", &o.outputs_margin,
             "accuracy of a forgotten class that is allowed above chance"),
      margin("audit.probe_margin", &o.probe_margin,
             "balanced accuracy of a linear probe that is allowed above the oracles'"),
      margin("audit.neighbours_margin", &o.neighbours_margin, "the same by nearest neighbours"),
      margin("audit.shots_margin", &o.shots_margin, "the same for k-shot accuracy"),
      margin("audit.graft_margin", &o.graft_margin,
             "the same for the classifier row from before the request"),
      margin("audit.control_margin", &o.control_margin,
             "fall of probe and 5-shot accuracy of kept classes, against the oracles, that is "
             "allowed"),
      margin("audit.membership_margin", &o.membership_margin,
             "difference of the area under the curve to the oracles' that is allowed, up or down"),
      margin("audit.kept_fall", &o.kept_fall,
             "fall of accuracy of any kept class that an event may cause"),
      margin("audit.mean_fall", &o.mean_fall,
             "mean fall of accuracy of kept classes that an event may cause"),
      {"audit.relearn_ratio", &o.relearn_ratio,
       "relearning must need at least this fraction of the oracles' steps", between(0, 1)},
  };
}

}  // namespace lethe
