#include "tools/bench/child_process.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "lethe/core/error.h"
#include "lethe/core/signals.h"

namespace lethe {

namespace {

// In a child: it ends with its parent, and signals end it at once.
void detach_from_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

pid_t fork_or_throw() {
  const pid_t pid = ::fork();
  if (pid < 0) throw_error<Error>("a child process cannot be started: {}", std::strerror(errno));
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
}

}  // namespace

std::string run_self(const std::vector<std::string>& arguments,
                     const ChildEnvironment& environment) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), "lethe");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0)
    throw_error<Error>("a child process cannot be started: {}", std::strerror(errno));
  const pid_t pid = fork_or_throw();
  if (pid == 0) {
    detach_from_parent();
    for (const auto& name : environment.unset) ::unsetenv(name.c_str());
    for (const auto& [name, value] : environment.set) ::setenv(name.c_str(), value.c_str(), 1);
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  auto output = read_all(ends[0]);
  ::close(ends[0]);
  const int status = wait_for(pid);
  if (stop_requested()) throw Interrupted("stopped by a signal during a measurement");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error("a measurement failed; its error is above");
  return output;
}

BusyProcess::BusyProcess(int nice) : pid_(fork_or_throw()) {
  if (pid_ > 0) return;
  detach_from_parent();
  ::setsid();  // a session of its own: Linux shares the CPU between sessions first
  if (nice > 0 && ::nice(nice) < 0) ::_exit(1);
  for (volatile uint64_t count = 0;;) count = count + 1;
}

BusyProcess::~BusyProcess() {
  ::kill(pid_, SIGKILL);
  wait_for(pid_);
}

}  // namespace lethe
