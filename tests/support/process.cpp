#include "tests/support/process.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "lethe/core/error.h"
#include "lethe/core/files.h"

namespace lethe::test {

namespace fs = std::filesystem;

namespace {

// A pseudo-terminal: our end, and the path of the other end.
int open_terminal(std::string& path) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0)
    throw Error("no pseudo-terminal");
  path = ::ptsname(terminal);
  return terminal;
}

void change_environment(const std::vector<std::string>& changes) {
  for (const auto& change : changes) {
    const auto equals = change.find('=');
    const auto name = change.substr(0, equals);
    if (equals == std::string::npos) {
      ::unsetenv(name.c_str());
    } else {
      ::setenv(name.c_str(), change.c_str() + equals + 1, 1);
    }
  }
}

// Until the last process has closed its end.
std::string read_terminal(int terminal) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 0; (count = ::read(terminal, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<size_t>(count));
  return text;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const ProcessOptions& options)
    : out_(unique_path("out")), err_(unique_path("err")) {
  std::string terminal_path;
  if (options.terminal_columns > 0) terminal_ = open_terminal(terminal_path);
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
    const int err = terminal_ >= 0 ? ::open(terminal_path.c_str(), O_RDWR | O_NOCTTY)
                                   : ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (terminal_ >= 0) {
      winsize size{};
      size.ws_col = static_cast<unsigned short>(options.terminal_columns);
      size.ws_row = 24;
      ::ioctl(err, TIOCSWINSZ, &size);
    }
    change_environment({"LETHE_DATA"});  // for tests; `lethe suite` would take it as --data
    change_environment(options.environment);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
}

Process::~Process() {
  if (terminal_ >= 0) ::close(terminal_);
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
  const auto shown = terminal_ >= 0 ? read_terminal(terminal_) : "";
  if (!ended_) {
    ::waitpid(pid_, &wait_status_, 0);
    ended_ = true;
  }
  const int status =
      WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
  return {status, read_text(out_), terminal_ >= 0 ? shown : read_text(err_)};
}

Outcome lethe(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  return Process(arguments, options).finish();
}

}  // namespace lethe::test
