// Runs the executable as a user would and captures its output.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/scratch.h"

namespace lethe::test {

struct Outcome {
  int status = -1;  // exit status, or 128 + signal
  std::string out;
  std::string err;
};

// A running `lethe` with the given arguments. Its output goes to files that finish() reads.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments);
  ~Process();  // kills the process if it is still running
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;
  bool running();
  Outcome finish();  // waits

 private:
  pid_t pid_ = -1;
  int wait_status_ = 0;
  bool ended_ = false;
  std::filesystem::path out_, err_;
};

Outcome lethe(const std::vector<std::string>& arguments);

}  // namespace lethe::test
