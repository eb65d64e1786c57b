#include "lethe/method/plus/inversion.h"

#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lethe/core/error.h"
#include "lethe/core/random.h"
#include "lethe/core/signals.h"
#include "lethe/model/torch.h"

namespace lethe {

namespace {

constexpr int64_t kBatch = 64;  // images that are optimised together

at::Tensor normal_values(Random& random, std::vector<int64_t> shape) {
  auto values = at::empty(shape, at::kDouble);
  auto* data = values.data_ptr<double>();
  for (int64_t i = 0; i < values.numel(); ++i) data[i] = random.normal();
  return values;
}

// A matrix with the square A A^T = covariance.
at::Tensor root_of(const at::Tensor& covariance) {
  const auto parts = at::linalg_eigh(covariance, "L");
  return std::get<1>(parts) * std::get<0>(parts).clamp_min(0).sqrt();
}

// The number of each image among those of its class.
std::vector<uint32_t> numbers_of(const std::vector<ClassId>& classes) {
  std::map<ClassId, uint32_t> next;
  std::vector<uint32_t> numbers;
  for (const ClassId id : classes) numbers.push_back(next[id]++);
  return numbers;
}

std::vector<ClassId> ids_of(const at::Tensor& classes) {
  const auto own = classes.to(at::kCPU, at::kLong).contiguous();
  return {own.data_ptr<int64_t>(), own.data_ptr<int64_t>() + own.numel()};
}

// The target of an image and its start are drawn from two blocks of the same generator.
constexpr uint32_t kStart = 1U << 31;

// Mean absolute difference of neighbouring pixels: [n].
at::Tensor total_variation(const at::Tensor& images) {
  const auto rows =
      images.narrow(2, 1, images.size(2) - 1) - images.narrow(2, 0, images.size(2) - 1);
  const auto columns =
      images.narrow(3, 1, images.size(3) - 1) - images.narrow(3, 0, images.size(3) - 1);
  return rows.abs().mean({1, 2, 3}) + columns.abs().mean({1, 2, 3});
}

InversionGoal part_of(const InversionGoal& goal, int64_t first, int64_t count) {
  auto part = goal;
  part.classes = goal.classes.narrow(0, first, count);
  part.columns = goal.columns.narrow(0, first, count);
  for (auto& target : part.targets) target = target.narrow(0, first, count);
  return part;
}

// The range of normalised pixels, for clamp(): [C, 1, 1] each.
struct PixelRange {
  explicit PixelRange(const DatasetInfo& info) {
    const auto mean = at::tensor(info.mean, at::kDouble).reshape({-1, 1, 1});
    const auto std = at::tensor(info.std, at::kDouble).reshape({-1, 1, 1});
    low = (-mean / std).to(at::kFloat);
    high = ((1 - mean) / std).to(at::kFloat);
  }
  at::Tensor low, high;
};

}  // namespace

InversionGoal inversion_goal(const std::vector<InversionClass>& classes,
                             const ClassStatistics& statistics, int64_t num_classes, uint64_t seed,
                             const InversionOptions& options) {
  const int64_t stages = statistics.stages();
  std::vector<at::Tensor> roots;  // of the scatter: a matrix for the last stage, else [D_k]
  InversionGoal goal;
  for (int64_t k = 0; k < stages; ++k) {
    const auto variance = statistics.variance(k);
    goal.variances.push_back((variance + options.ridge * variance.mean()).to(at::kFloat));
    roots.push_back(k + 1 < stages ? variance.sqrt() : root_of(statistics.covariance()));
  }
  std::vector<int64_t> ids;
  std::vector<at::Tensor> columns;
  std::vector<std::vector<at::Tensor>> targets(static_cast<size_t>(stages));
  for (const auto& one : classes) {
    const auto covered = one.columns.mask(0, num_classes) > 0;
    for (int64_t i = 0; i < one.count; ++i) {
      ids.push_back(one.id);
      columns.push_back(covered);
      Random random(seed, Purpose::kInversion, static_cast<uint32_t>(one.id),
                    static_cast<uint32_t>(i));
      for (int64_t k = 0; k < stages; ++k) {
        const auto at = static_cast<size_t>(k);
        const auto mean = statistics.means(k, {one.id})[0];
        const auto noise = normal_values(random, {mean.size(0)});
        const auto& root = roots[at];
        const auto scattered = root.dim() == 2 ? root.matmul(noise) : root * noise;
        targets[at].push_back((mean + options.spread * scattered).to(at::kFloat));
      }
    }
  }
  goal.classes = at::tensor(ids, at::kLong);
  goal.columns = at::stack(columns);
  for (const auto& target : targets) goal.targets.push_back(at::stack(target));
  return goal;
}

at::Tensor inversion_losses(Network& network, const at::Tensor& images, const InversionGoal& goal,
                            const InversionOptions& options) {
  const auto output = network.forward_stages(images);
  auto losses = options.smooth_weight * total_variation(images);
  for (size_t k = 0; k < goal.targets.size(); ++k) {
    const auto difference = output.stages.at(k) - goal.targets[k];
    losses = losses + (difference.square() / goal.variances[k]).mean(1);
  }
  const auto logits = output.output.logits.masked_fill(goal.columns.logical_not(), kErasedLogit);
  return losses +
         options.class_weight * additive_margin_losses(logits, goal.classes, options.class_loss);
}

at::Tensor inversion_start(const InversionGoal& goal, const DatasetInfo& info, uint64_t seed) {
  const auto ids = ids_of(goal.classes);
  const auto numbers = numbers_of(ids);
  std::vector<at::Tensor> images;
  for (size_t i = 0; i < ids.size(); ++i) {
    Random random(seed, Purpose::kInversion, static_cast<uint32_t>(ids[i]), kStart + numbers[i]);
    auto image = at::zeros({1, info.channels, info.height, info.width}, at::kDouble);
    double scales = 0;
    for (int64_t side = 2; side <= std::max(info.height, info.width); side *= 2) {
      const auto noise = normal_values(random, {1, info.channels, side, side});
      image = image + at::upsample_bilinear2d(noise, {info.height, info.width}, false);
      scales += 1;
    }
    images.push_back((image / std::sqrt(scales)).to(at::kFloat));
  }
  const PixelRange range(info);
  return at::max(at::min(at::cat(images), range.high), range.low);
}

at::Tensor invert(Network& network, const InversionGoal& goal, const DatasetInfo& info,
                  uint64_t seed, const InversionOptions& options) {
  const auto device = network.device();
  const PixelRange range(info);
  const auto low = range.low.to(device), high = range.high.to(device);
  const auto start = inversion_start(goal, info, seed);
  InversionGoal on_device = goal;
  on_device.classes = goal.classes.to(device);
  on_device.columns = goal.columns.to(device);
  for (auto& target : on_device.targets) target = target.to(device);
  for (auto& variance : on_device.variances) variance = variance.to(device);
  std::vector<at::Tensor> done;
  for (int64_t first = 0; first < start.size(0); first += kBatch) {
    const int64_t count = std::min(kBatch, start.size(0) - first);
    const auto part = part_of(on_device, first, count);
    auto images = start.narrow(0, first, count).clone().to(device).requires_grad_();
    torch::optim::Adam adam({images}, torch::optim::AdamOptions(options.lr));
    for (int64_t i = 0; i < options.steps; ++i) {
      if (stop_requested()) throw Interrupted("stopped by a signal while images were inverted");
      adam.zero_grad();
      // The sum, so that the images do not depend on each other.
      inversion_losses(network, images, part, options).sum().backward();
      adam.step();
      const at::NoGradGuard no_grad;
      images.copy_(at::max(at::min(images, high), low));
    }
    done.push_back(images.detach());
  }
  return at::cat(done);
}

}  // namespace lethe
