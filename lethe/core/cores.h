// The number of CPU cores that this process may use. It depends on the affinity of the process and
// on the CPU quota of its control group (a container, a batch system). Hyper-threads of one core
// count once.
//
// root is "/" in the program; tests pass a folder with made-up files.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace lethe {

// The CPUs that this process may run on (sched_getaffinity), ascending. Empty if unknown.
std::vector<int> allowed_cpus();

// The physical cores among the CPUs: hyper-threads of one core count once. Without a topology (in
// some containers) every CPU counts as a core.
int physical_cores_of(const std::vector<int>& cpus, const std::filesystem::path& root);

// The CPU quota of the process's control group in cores, e.g. 1.5; std::nullopt = no limit. Reads
// cgroup v2 (cpu.max) and v1 (cpu.cfs_quota_us). Limits of parent groups apply too.
std::optional<double> cpu_quota(const std::filesystem::path& root);

// The number of physical cores or the CPU quota, whichever is smaller; rounded down, at least 1.
int usable_cores(const std::vector<int>& cpus, const std::filesystem::path& root);

}  // namespace lethe
