#include "lethe/core/signals.h"

#include <csignal>

namespace lethe {

namespace {

volatile std::sig_atomic_t g_signal = 0;

void on_signal(int signal) {
  if (g_signal != 0) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  g_signal = signal;
}

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool stop_requested() { return g_signal != 0; }

int stop_signal() { return g_signal; }

}  // namespace lethe
