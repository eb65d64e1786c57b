#include "lethe/core/system.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <link.h>
#include <torch/version.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "lethe/core/cores.h"

namespace lethe {

int physical_cores() { return usable_cores(allowed_cpus(), "/"); }

int set_up_threads(int threads) {
  if (threads <= 0) threads = physical_cores();
  // Before the thread pool starts: its threads inherit the mode from this thread.
  at::globalContext().setFlushDenormal(true);
  at::set_num_threads(threads);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  return threads;
}

std::string blas_library() {
  std::string found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        const std::string name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        const std::string file = std::filesystem::path(name).filename();
        const bool blas = file.starts_with("libblas.so") || file.starts_with("libopenblas") ||
                          file.starts_with("libmkl_core") || file.starts_with("libmkl_intel_lp64");
        if (blas) *static_cast<std::string*>(out) = name;
        return blas && file.starts_with("libblas.so") ? 1 : 0;
      },
      &found);
  std::error_code error;
  const auto real = std::filesystem::canonical(found, error);
  return error ? found : real.string();
}

bool is_reference_blas(const std::string& library) {
  return library.find("/blas/libblas.so") != std::string::npos;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

double peak_memory_gib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / (1 << 20);  // kB
  }
  return 0;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

std::string version() { return LETHE_VERSION; }

std::string commit() {
  return
#include "commit.inc"
      ;
}

std::string torch_version() { return TORCH_VERSION; }

std::string compiler_version() {
#if defined(__clang__)
  return fmt::format("clang {}", __clang_version__);
#else
  return fmt::format("g++ {}", __VERSION__);
#endif
}

}  // namespace lethe
