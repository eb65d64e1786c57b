#include "lethe/core/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "lethe/core/error.h"

namespace lethe {

namespace {

// "NAME=value" of this process and of the options.
std::vector<std::string> environment_of(const ChildOptions& options) {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool is_set = false;
    for (const auto& [name, value] : options.environment)
      is_set = is_set || text.starts_with(name + '=');
    if (!is_set) all.push_back(text);
  }
  for (const auto& [name, value] : options.environment) all.push_back(name + '=' + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildProcess::ChildProcess(const ChildOptions& options) {
  // All memory is taken before fork(): other threads may hold the lock of the allocator.
  auto words = options.arguments;
  words.insert(words.begin(), "lethe");
  auto variables = environment_of(options);
  const auto argv = pointers_to(words);
  const auto envp = pointers_to(variables);
  const int out = ::open(options.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0)
    throw_error<Error>("{}: cannot be written: {}", options.output.string(), std::strerror(errno));
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it ended before the line above
    ::setpgid(0, 0);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execve(options.program.c_str(), argv.data(), envp.data());
    ::_exit(127);
  }
  const int error = errno;
  ::close(out);
  if (pid_ < 0) throw_error<Error>("a child process cannot be started: {}", std::strerror(error));
}

ChildProcess::~ChildProcess() {
  if (status()) return;
  send(SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void ChildProcess::send(int signal) {
  if (!status()) ::kill(pid_, signal);
}

std::optional<int> ChildProcess::status() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

}  // namespace lethe
