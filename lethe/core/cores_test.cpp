#include "lethe/core/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <string>
#include <thread>

#include "tests/support/scratch.h"

namespace lethe {
namespace {

namespace fs = std::filesystem;

class CoresTest : public testing::Test {
 protected:
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root() / file).parent_path());
    std::ofstream(root() / file) << text;
  }
  void topology(int cpu, int package, int core) const {
    const auto folder =
        fs::path("sys/devices/system/cpu") / ("cpu" + std::to_string(cpu)) / "topology";
    write(folder / "physical_package_id", std::to_string(package) + "\n");
    write(folder / "core_id", std::to_string(core) + "\n");
  }
  fs::path root() const { return scratch_.path(); }

  test::Scratch scratch_;
};

TEST_F(CoresTest, HyperThreadsOfOneCoreCountOnce) {
  topology(0, 0, 0);
  topology(1, 0, 1);
  topology(2, 0, 0);
  topology(3, 1, 0);  // the same number in another package

  EXPECT_EQ(physical_cores_of({0, 1, 2, 3}, root()), 3);
  EXPECT_EQ(physical_cores_of({0, 2}, root()), 1);
}

TEST_F(CoresTest, WithoutATopologyEveryCpuIsACore) {
  EXPECT_EQ(physical_cores_of({0, 5, 7}, root()), 3);
}

TEST_F(CoresTest, AGroupWithoutALimitHasNoQuota) {
  EXPECT_EQ(cpu_quota(root()), std::nullopt);

  write("proc/self/cgroup", "0::/user.slice\n");
  write("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");

  EXPECT_EQ(cpu_quota(root()), std::nullopt);
}

TEST_F(CoresTest, TheSmallestLimitFromTheGroupUpToTheRootCounts) {
  write("proc/self/cgroup", "0::/batch.slice/job-7/step\n");
  write("sys/fs/cgroup/batch.slice/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/batch.slice/job-7/cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/batch.slice/job-7/step/cpu.max", "max 100000\n");

  EXPECT_EQ(cpu_quota(root()), 2.5);
}

TEST_F(CoresTest, InAContainerTheMountPointHasTheLimit) {
  write("sys/fs/cgroup/cpu.max", "150000 100000\n");

  write("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(cpu_quota(root()), 1.5);
  write("proc/self/cgroup", "0::/docker/0123456789\n");  // the host's path
  EXPECT_EQ(cpu_quota(root()), 1.5);
}

TEST_F(CoresTest, TheQuotaOfCgroupOneIsReadToo) {
  write("proc/self/cgroup", "12:cpuset:/docker/a\n4:cpu,cpuacct:/docker/a\n1:name=systemd:/\n");
  const fs::path folder = "sys/fs/cgroup/cpu,cpuacct";
  write(folder / "cpu.cfs_quota_us", "-1\n");
  write(folder / "cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root()), std::nullopt);

  write(folder / "docker/a/cpu.cfs_quota_us", "300000\n");
  write(folder / "docker/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root()), 3.0);
}

TEST_F(CoresTest, FilesThatMakeNoSenseAreNoLimit) {
  write("proc/self/cgroup", "nonsense\n0:\n0::/a\n");
  write("sys/fs/cgroup/a/cpu.max", "many\n");
  EXPECT_EQ(cpu_quota(root()), std::nullopt);

  write("sys/fs/cgroup/a/cpu.max", "100000 0\n");
  EXPECT_EQ(cpu_quota(root()), std::nullopt);
}

TEST_F(CoresTest, TheQuotaIsRoundedDownAndAtLeastOneCoreIsUsed) {
  write("proc/self/cgroup", "0::/\n");

  write("sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(usable_cores({0, 1, 2, 3}, root()), 2);
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(usable_cores({0, 1, 2, 3}, root()), 1);
  write("sys/fs/cgroup/cpu.max", "900000 100000\n");
  EXPECT_EQ(usable_cores({0, 1, 2, 3}, root()), 4);
  EXPECT_EQ(usable_cores({}, root()), 1);
}

TEST_F(CoresTest, ACpuThatIsTakenAwayFromTheProcessIsNotUsed) {
  const auto before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  std::vector<int> one;

  // In a thread of its own: affinity belongs to threads.
  std::thread([&] {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(before.back()), &set);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(set), &set), 0);
    one = allowed_cpus();
  }).join();

  EXPECT_EQ(one, std::vector<int>{before.back()});
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace lethe
