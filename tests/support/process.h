// Starts the program as a user would and keeps its output.
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

struct ProcessOptions {
  // Changes to the environment: "NAME=VALUE" sets, "NAME" removes a variable. LETHE_DATA is always
  // removed first.
  std::vector<std::string> environment = {};
  int terminal_columns = 0;  // > 0: stderr is a terminal of this width
};

// A started `lethe` with the given arguments; output goes to files that finish() reads.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const ProcessOptions& options = {});
  ~Process();  // kills it if it still runs
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
  int terminal_ = -1;  // the end of a pseudo-terminal that finish() reads
};

Outcome lethe(const std::vector<std::string>& arguments, const ProcessOptions& options = {});

}  // namespace lethe::test
