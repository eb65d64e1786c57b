#include "lethe/model/init.h"

#include <cmath>

#include "lethe/core/error.h"
#include "lethe/core/random.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

struct Fans {
  double in = 0;
  double out = 0;
};

Fans fans_of(const at::Tensor& weight, std::string_view name) {
  if (weight.dim() < 2 || weight.numel() == 0) {
    throw_error<Error>("{}: cannot compute fan-in and fan-out of a weight of shape {}", name,
                       shape_text(weight.sizes()));
  }
  const auto rows = static_cast<double>(weight.size(0));
  const auto columns = static_cast<double>(weight.size(1));
  const double kernel = static_cast<double>(weight.numel()) / (rows * columns);
  return {.in = columns * kernel, .out = rows * kernel};
}

// Fills the tensor with successive values of draw(random).
template <typename Draw>
void fill(const at::Tensor& tensor, uint64_t seed, std::string_view name, Draw draw) {
  at::NoGradGuard no_grad;
  Random random(seed, Purpose::kInit, hash32(name));
  const auto values = at::empty(tensor.sizes(), at::kDouble);
  auto* const data = values.data_ptr<double>();
  for (int64_t i = 0; i < values.numel(); ++i) data[i] = draw(random);
  tensor.copy_(values);
}

void fill_normal(const at::Tensor& weight, double deviation, uint64_t seed, std::string_view name) {
  fill(weight, seed, name, [&](Random& random) { return deviation * random.normal(); });
}

}  // namespace

void fill_xavier_normal(const at::Tensor& weight, uint64_t seed, std::string_view name) {
  const auto fans = fans_of(weight, name);
  fill_normal(weight, std::sqrt(2.0 / (fans.in + fans.out)), seed, name);
}

void fill_kaiming_normal(const at::Tensor& weight, uint64_t seed, std::string_view name) {
  fill_normal(weight, std::sqrt(2.0 / fans_of(weight, name).out), seed, name);
}

void fill_uniform(const at::Tensor& tensor, double bound, uint64_t seed, std::string_view name) {
  fill(tensor, seed, name, [&](Random& random) { return random.uniform(-bound, bound); });
}

void init_kaiming(const torch::nn::Module& module, uint64_t seed, const std::string& prefix) {
  for (const auto& parameter : module.named_parameters()) {
    if (parameter.value().dim() == 4)
      fill_kaiming_normal(parameter.value(), seed, prefix + parameter.key());
  }
}

void init_parameters(const torch::nn::Module& module, uint64_t seed, const std::string& prefix) {
  for (const auto& parameter : module.named_parameters()) {
    if (parameter.value().dim() >= 2)
      fill_xavier_normal(parameter.value(), seed, prefix + parameter.key());
  }
}

}  // namespace lethe
