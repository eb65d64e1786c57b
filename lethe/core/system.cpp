#include "lethe/core/system.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <link.h>
#include <sched.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

namespace lethe {

namespace {

int number_in(const std::string& path, int otherwise) {
  std::ifstream file(path);
  int number = 0;
  return file >> number ? number : otherwise;
}

// cgroup v2: "max 100000" or "200000 100000" (microseconds of CPU per period).
int quota_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 1 << 20;
  return std::max(1, static_cast<int>(std::floor(std::stod(quota) / period)));
}

}  // namespace

int physical_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  std::set<std::pair<int, int>> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", cpu);
    // Without topology (some containers) every CPU counts as a core of its own.
    cores.emplace(number_in(folder + "physical_package_id", 0),
                  number_in(folder + "core_id", -cpu - 1));
  }
  return std::max(1, std::min(static_cast<int>(cores.size()), quota_cores()));
}

int set_up_threads(int threads) {
  if (threads <= 0) threads = physical_cores();
  // Before the pool starts: its threads inherit the mode from this one.
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
