#include "lethe/core/cores.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace lethe {

namespace fs = std::filesystem;

namespace {

int number_in(const fs::path& file, int otherwise) {
  std::ifstream stream(file);
  int number = 0;
  return stream >> number ? number : otherwise;
}

// "200000 100000": microseconds of CPU time per period. "max 100000" is no limit.
std::optional<double> quota_v2(const fs::path& group) {
  std::ifstream file(group / "cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// The same in two files; -1 is no limit.
std::optional<double> quota_v1(const fs::path& group) {
  const int quota = number_in(group / "cpu.cfs_quota_us", -1);
  const int period = number_in(group / "cpu.cfs_period_us", 0);
  if (quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<double>(quota) / period;
}

// The smallest limit of a group and its parents. In a container the path may be the host's, which
// does not exist below the mount point: then the mount point itself has the limit.
template <typename Quota>
std::optional<double> smallest_quota(const fs::path& mount, fs::path group, Quota quota_of) {
  std::optional<double> smallest;
  for (;; group = group.parent_path()) {
    if (const auto quota = quota_of(mount / group.relative_path()))
      smallest = std::min(smallest.value_or(*quota), *quota);
    if (group.relative_path().empty()) return smallest;
  }
}

bool has_word(const std::string& list, const std::string& word) {
  std::istringstream words(list);
  for (std::string each; std::getline(words, each, ',');) {
    if (each == word) return true;
  }
  return false;
}

}  // namespace

std::vector<int> allowed_cpus() {
  // The kernel rejects a set that is too small for its CPUs; cpu_set_t has 1024.
  for (size_t count = 1024; count <= (size_t{1} << 20); count *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(count), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
    const size_t bytes = CPU_ALLOC_SIZE(count);
    if (set == nullptr) break;
    CPU_ZERO_S(bytes, set.get());
    if (::sched_getaffinity(0, bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    std::vector<int> cpus;
    for (size_t cpu = 0; cpu < count; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(static_cast<int>(cpu));
    }
    return cpus;
  }
  return {};
}

int physical_cores_of(const std::vector<int>& cpus, const fs::path& root) {
  std::set<std::pair<int, int>> cores;
  for (const int cpu : cpus) {
    const auto folder = root / fmt::format("sys/devices/system/cpu/cpu{}/topology", cpu);
    cores.emplace(number_in(folder / "physical_package_id", 0),
                  number_in(folder / "core_id", -cpu - 1));
  }
  return static_cast<int>(cores.size());
}

std::optional<double> cpu_quota(const fs::path& root) {
  const auto mount = root / "sys/fs/cgroup";
  std::optional<double> smallest;
  const auto take = [&](std::optional<double> quota) {
    if (quota) smallest = std::min(smallest.value_or(*quota), *quota);
  };
  // Lines "0::/path" (v2) and "4:cpu,cpuacct:/path" (v1).
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto path = line.substr(second + 1);
    if (controllers.empty()) {
      take(smallest_quota(mount, path, quota_v2));
    } else if (has_word(controllers, "cpu")) {
      // Mounted under the full name; "cpu" alone is usually a link to it.
      take(smallest_quota(mount / controllers, path, quota_v1));
      take(smallest_quota(mount / "cpu", path, quota_v1));
    }
  }
  return smallest;
}

int usable_cores(const std::vector<int>& cpus, const fs::path& root) {
  int cores = physical_cores_of(cpus, root);
  // Rounded down: a thread more than the quota pays for would be stopped in every period.
  if (const auto quota = cpu_quota(root))
    cores = static_cast<int>(std::min<double>(cores, std::floor(*quota)));
  return std::max(1, cores);
}

}  // namespace lethe
