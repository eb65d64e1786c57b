// A child process that writes its output into a file.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lethe {

// This program, also if its file was replaced since it started.
inline constexpr const char* kThisProgram = "/proc/self/exe";

struct ChildOptions {
  std::string program = kThisProgram;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment = {};  // variables to set
  std::filesystem::path output;                                       // of stdout and stderr
};

// Ends with the process that started it, however that ends. It is in a process group of its own:
// Ctrl-C in the terminal reaches only its parent, which passes it on with send(). Not thread-safe.
// Start it from the main thread: it ends with the thread that started it.
class ChildProcess {
 public:
  // Overwrites the file of the output. Throws Error if the process cannot be started.
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();  // kills it if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(int signal);
  // The exit status, or 128 + signal; std::nullopt while it runs. 127 = not a program.
  std::optional<int> status();

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

}  // namespace lethe
