#include "lethe/run/data_prepare.h"

#include <fmt/format.h>

#include "lethe/core/error.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/data/prepare.h"
#include "lethe/run/data_source.h"

namespace lethe {

namespace fs = std::filesystem;

std::string prepare_data(const DataPrepareOptions& options) {
  RunConfig config;
  configure_data(config, options.config_or_path, options.sets);
  const fs::path out = options.out.empty() ? fs::path(config.data.prepared) : options.out;
  if (out.empty())
    throw ConfigError("data prepare: no output folder; add --out DIR or set data.prepared");
  const auto report = prepare_images(config.data, out, {.threads = physical_cores()});
  const auto folder = fs::absolute(out).lexically_normal();
  return fmt::format(
      "{}: {} training and {}, {:.1f} MB{}\n"
      "to train on it, add --set data.prepared={}\n",
      folder.string(), report.train, counted(report.test, "test image"),
      static_cast<double>(report.bytes) / 1e6,
      report.skipped > 0 ? fmt::format(", {} skipped because {} cannot be decoded", report.skipped,
                                       report.skipped == 1 ? "it" : "they")
                         : "",
      folder.string());
}

}  // namespace lethe
