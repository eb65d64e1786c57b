#include "lethe/core/random.h"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "lethe/core/error.h"

namespace lethe {

Random::Random(uint64_t seed, Purpose purpose, uint32_t a, uint32_t b)
    : seed_(seed), counter_{0, static_cast<uint32_t>(purpose), a, b} {}

uint32_t Random::next() {
  if (used_ == 4) {
    const r123::Philox4x32::ctr_type counter = {
        {counter_[0], counter_[1], counter_[2], counter_[3]}};
    const r123::Philox4x32::key_type key = {
        {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)}};
    const auto out = r123::Philox4x32()(counter, key);
    for (size_t i = 0; i < 4; ++i) block_[i] = out[i];
    ++counter_[0];
    used_ = 0;
  }
  return block_[static_cast<size_t>(used_++)];
}

uint64_t Random::next64() {
  const uint64_t high = next();
  return (high << 32) | next();
}

double Random::uniform() { return next() * 0x1.0p-32; }

double Random::uniform(double low, double high) { return low + (high - low) * uniform(); }

bool Random::chance(double probability) { return uniform() < probability; }

int64_t Random::below(int64_t n) {
  if (n <= 0 || n > (int64_t{1} << 32)) throw_error<Error>("Random::below: {} is out of range", n);
  // Lemire's rejection method: products that would favour small values are drawn again.
  const auto range = static_cast<uint64_t>(n);
  const uint64_t threshold = ((uint64_t{1} << 32) - range) % range;
  for (;;) {
    const uint64_t product = next() * range;
    if ((product & 0xffffffffu) >= threshold) return static_cast<int64_t>(product >> 32);
  }
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::vector<int64_t> Random::permutation(int64_t n) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
  }
  return order;
}

uint32_t hash32(std::string_view text) {  // FNV-1a
  uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace lethe
