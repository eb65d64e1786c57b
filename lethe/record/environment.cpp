#include "lethe/record/environment.h"

#include <nlohmann/json.hpp>

#include "lethe/core/files.h"
#include "lethe/core/log.h"
#include "lethe/core/system.h"
#include "lethe/core/text.h"
#include "lethe/record/run_files.h"

namespace lethe {

nlohmann::ordered_json environment(int threads) {
  return {{"lethe", version()},
          {"commit", commit()},
          {"libtorch", torch_version()},
          {"compiler", compiler_version()},
          {"blas", blas_library()},
          {"cpu", cpu_name()},
          {"physical_cores", physical_cores()},
          {"threads", threads}};
}

nlohmann::ordered_json environment_of(const std::filesystem::path& run) {
  const auto file = run / kEnvironmentFile;
  if (!std::filesystem::exists(file)) return nlohmann::ordered_json::object();
  auto stored = nlohmann::ordered_json::parse(read_text(file), nullptr, false);
  return stored.is_object() ? stored : nlohmann::ordered_json::object();
}

void log_environment(int threads) {
  const int cores = physical_cores();
  log_info("lethe {} ({}), LibTorch {}, {} on {}", version(), commit(), torch_version(),
           counted(threads, "thread"), counted(cores, "usable core"));
  if (is_reference_blas(blas_library())) {
    log_warning(
        "matrix products run on the reference BLAS, which is slow; install libopenblas0-openmp");
  }
}

}  // namespace lethe
