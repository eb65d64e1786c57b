// libgomp reads GOMP_SPINCOUNT once, when it is loaded: before main and before any constructor of
// this executable. There is no call to change it later. The usual way is to set the variable and
// execute the program again, but that pays twice for linking some 290 libraries (`lethe --version`:
// 0.44 s -> 0.86 s; from .preinit_array, before the constructors, 0.60 s). So this file defines
// getenv itself. The dynamic linker prefers symbols of the executable, therefore libgomp asks this
// function, which answers for a variable that the user has not set. It costs nothing and works
// under debuggers and sanitizers. If libgomp ever stops asking, main executes the program again
// after all.
#include "apps/lethe/spin_count.h"

#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "lethe/core/log.h"

namespace {

constexpr const char* kSpinCount = "GOMP_SPINCOUNT";
constexpr const char* kWaitPolicy = "OMP_WAIT_POLICY";
// On a quiet machine 1000 cost a quarter of the throughput of the demo, 2000 almost nothing; beside
// a busy process they are alike (docs/results/busy.md).
char g_count[] = "2000";

// Whether libgomp asked for the spin count. Constant initialisation: set before main.
constinit std::atomic<bool> g_was_asked = false;

char* find_variable(std::string_view name) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
      return *entry + name.size() + 1;
  }
  return nullptr;
}

bool is_users_choice() {
  return find_variable(kSpinCount) != nullptr || find_variable(kWaitPolicy) != nullptr;
}

bool has_libgomp() {
  const auto is_libgomp = [](dl_phdr_info* info, size_t, void*) {
    return info->dlpi_name != nullptr && std::strstr(info->dlpi_name, "libgomp") != nullptr ? 1 : 0;
  };
  return ::dl_iterate_phdr(is_libgomp, nullptr) == 1;
}

}  // namespace

// In place of the C library's, for the whole process.
extern "C" __attribute__((visibility("default"), used)) char* getenv(const char* name) noexcept {
  if (std::string_view(name) != kSpinCount) return find_variable(name);
  g_was_asked = true;
  return is_users_choice() ? find_variable(name) : g_count;
}

namespace lethe::app {

void ensure_spin_count(char** argv) {
  if (g_was_asked || is_users_choice() || !has_libgomp()) return;
  ::setenv(kSpinCount, g_count, 1);  // is_users_choice() from now on: no second time
  ::execv("/proc/self/exe", argv);
  log_info("{} could not be set ({}): training slows down if other processes use the CPU",
           kSpinCount, std::strerror(errno));
}

}  // namespace lethe::app
