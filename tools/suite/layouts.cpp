#include "tools/suite/layouts.h"

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "tools/suite/audit_tables.h"
#include "tools/suite/mask_tables.h"
#include "tools/suite/sensitivity.h"
#include "tools/suite/suite_table.h"
#include "tools/suite/table1.h"

namespace lethe {

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"plain", "A, F and S of every run", plain_layout},
      {"chart", "plain, and a chart of A, F and S over the runs", chart_layout, true},
      {"table1",
       "classification: after the last task and averaged over tasks, with the trends of the "
       "paper's Table 1",
       table1_layout},
      {"table2",
       "segmentation: with where forgotten pixels go and what their features keep, and the "
       "trends of Table 2",
       table2_layout},
      {"table3", "the same with the trends of Table 3: one dataset per number of forgotten classes",
       table3_layout},
      {"table4", "the same with the trends of Table 4: one run per set of loss terms",
       table4_layout},
      {"table5", "the same with the trends of Table 5: one run per set of feature spaces",
       table5_layout},
      {"audit",
       "the checks of the audits: excess over the oracles with intervals, outcomes, cost; needs "
       "audit",
       audit_layout},
      {"epochs", "plain, and charts of accuracy per epoch; needs eval.every=epoch", epochs_layout,
       true},
      {"sensitivity", "chart, with the trends of the paper over lambda_p : lambda_d",
       sensitivity_layout, true},
  };
  return all;
}

const Layout& find_layout(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& layout : layouts()) {
    if (layout.name == name) return layout;
    known.emplace_back(layout.name);
  }
  throw_error<ConfigError>("unknown layout '{}'{}", name, choose_from(name, known));
}

}  // namespace lethe
