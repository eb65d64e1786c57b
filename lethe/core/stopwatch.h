// Sums wall-clock seconds by name, to measure the phases of a step. CUDA kernels run
// asynchronously: their time is counted in the next phase that copies to the host.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace lethe {

class Stopwatch {
 public:
  // On destruction, adds its lifetime to the total of the given name. Do not nest scopes: the time
  // would be counted twice.
  class Scope {
   public:
    Scope(Stopwatch& watch, std::string name) : watch_(watch), name_(std::move(name)) {}
    ~Scope() {
      watch_.seconds_[name_] += std::chrono::duration<double>(Clock::now() - start_).count();
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    Stopwatch& watch_;
    std::string name_;
    Clock::time_point start_ = Clock::now();
  };

  [[nodiscard]] Scope time(std::string name) { return {*this, std::move(name)}; }
  const std::map<std::string, double>& seconds() const { return seconds_; }
  void reset() { seconds_.clear(); }

 private:
  std::map<std::string, double> seconds_;
};

}  // namespace lethe
