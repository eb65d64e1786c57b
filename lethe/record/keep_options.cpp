#include "lethe/record/keep_options.h"

#include <algorithm>

namespace lethe {

namespace {

const ChoiceNames<Protocol> kProtocols = {{Protocol::kErase, "erase"}, {Protocol::kPaper, "paper"}};

}  // namespace

const char* name_of(Protocol protocol) { return protocol == Protocol::kErase ? "erase" : "paper"; }

Fields config_fields(KeepOptions& o) {
  return {
      common({"forget.protocol", choice(&o.protocol, kProtocols),
              "when forgotten classes are erased from the model and the files of the run: erase = "
              "at the end of each request, paper = at the end of the run (later tasks go on acting "
              "on them, as in the paper)"}),
      common({"forget.keep_before", &o.keep_before,
              "keep the model versions from before a request, which still know its classes; `lethe "
              "purge` removes them later"}),
      {"forget.pictures", &o.pictures,
       "segmentation: write predictions.png, which shows test images of forgotten classes"},
      common({"run.keep_versions", &o.keep_versions,
              "how many of the newest model versions stay in the run directory; 0 = all",
              at_least(0)}),
  };
}

std::vector<int64_t> versions_to_remove(const EventClosed& closed, const KeepOptions& options) {
  // The versions before a request are needed until its effect is measured, at the end of the run.
  if (options.protocol == Protocol::kPaper && !closed.is_last) return {};
  if (options.keep_before) return {};
  std::vector<int64_t> removed;
  const auto count = static_cast<int64_t>(closed.versions.size());
  for (int64_t i = 0; i < count; ++i) {
    const auto version = closed.versions[static_cast<size_t>(i)];
    if (version == closed.event) continue;
    const bool knows_erased = closed.learned_in > 0 && version >= closed.learned_in;
    const bool is_old = options.keep_versions > 0 && i < count - options.keep_versions;
    if (is_old || knows_erased) removed.push_back(version);
  }
  return removed;
}

int64_t most_versions(const KeepOptions& options, int64_t events) {
  const bool keeps_all =
      options.protocol == Protocol::kPaper || options.keep_before || options.keep_versions == 0;
  // Old versions are removed after the new one was written.
  return keeps_all ? events : std::min(events, options.keep_versions + 1);
}

}  // namespace lethe
