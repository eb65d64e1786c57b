// Child processes for benchmarks.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lethe {

// The environment of a child: the changes to that of this process.
struct ChildEnvironment {
  std::vector<std::string> unset;                             // names
  std::vector<std::pair<std::string, std::string>> set = {};  // names and values
};

// Runs this program with the arguments and returns its stdout. Throws Error if it fails,
// Interrupted if a signal asked to stop.
std::string run_self(const std::vector<std::string>& arguments,
                     const ChildEnvironment& environment);

// A process that computes without pause on one core, at the given priority (0 = normal, 19 =
// lowest), until this object is destroyed.
class BusyProcess {
 public:
  explicit BusyProcess(int nice);
  ~BusyProcess();
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  pid_t pid_;
};

}  // namespace lethe
