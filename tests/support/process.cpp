#include "tests/support/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "lethe/core/error.h"
#include "lethe/core/files.h"

namespace lethe::test {

namespace fs = std::filesystem;

Process::Process(const std::vector<std::string>& arguments)
    : out_(unique_path("out")), err_(unique_path("err")) {
  std::vector<char*> argv;
  std::string program = LETHE_BINARY;
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (auto& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw Error("fork failed");
  if (pid_ == 0) {
    const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
}

Process::~Process() {
  if (running()) {
    send(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove(out_, ignored);
  fs::remove(err_, ignored);
}

void Process::send(int signal) const { ::kill(pid_, signal); }

bool Process::running() {
  if (!ended_) ended_ = ::waitpid(pid_, &wait_status_, WNOHANG) == pid_;
  return !ended_;
}

Outcome Process::finish() {
  if (!ended_) {
    ::waitpid(pid_, &wait_status_, 0);
    ended_ = true;
  }
  const int status =
      WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
  return {status, read_text(out_), read_text(err_)};
}

Outcome lethe(const std::vector<std::string>& arguments) { return Process(arguments).finish(); }

}  // namespace lethe::test
