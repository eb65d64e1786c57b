#include "lethe/features/class_statistics.h"

#include <ATen/ATen.h>

#include <numeric>
#include <utility>

#include "lethe/core/error.h"
#include "lethe/core/tensor_check.h"

namespace lethe {

namespace {

int64_t triangle_size(int64_t width) { return width * (width + 1) / 2; }

// Positions of the upper triangle in a flattened [width, width] matrix, and those of its mirror.
struct Triangle {
  explicit Triangle(int64_t width) {
    const auto indices = at::triu_indices(width, width);
    upper = indices[0] * width + indices[1];
    lower = indices[1] * width + indices[0];
  }
  at::Tensor upper, lower;
};

at::Tensor packed(const at::Tensor& matrix) {
  return matrix.reshape(-1).index_select(0, Triangle(matrix.size(0)).upper);
}

at::Tensor unpacked(const at::Tensor& values, int64_t width) {
  const Triangle triangle(width);
  auto flat = at::zeros({width * width}, values.options());
  flat.index_copy_(0, triangle.upper, values);
  flat.index_copy_(0, triangle.lower, values);
  return flat.reshape({width, width});
}

at::Tensor grown(const at::Tensor& rows, int64_t count, int64_t width, at::ScalarType type) {
  const auto all =
      at::zeros(width > 0 ? std::vector<int64_t>{count, width} : std::vector<int64_t>{count},
                at::TensorOptions(type));
  if (rows.defined()) all.narrow(0, 0, rows.size(0)).copy_(rows);
  return all;
}

}  // namespace

void ClassStatistics::grow(int64_t classes, const ClassMoments& moments) {
  if (mean_.defined() && moments.widths() != widths_)
    throw Error("class statistics: the features have other lengths than those of earlier classes");
  widths_ = moments.widths();
  if (count_.defined() && count_.size(0) >= classes) return;
  const auto total = std::accumulate(widths_.begin(), widths_.end(), int64_t{0});
  mean_ = grown(mean_, classes, total, at::kFloat);
  variance_ = grown(variance_, classes, total, at::kFloat);
  if (moments.has_scatter())
    scatter_ = grown(scatter_, classes, triangle_size(widths_.back()), at::kFloat);
  count_ = grown(count_, classes, 0, at::kLong);
}

void ClassStatistics::store(const ClassMoments& moments) {
  const auto seen = moments.seen();
  if (seen.empty()) return;
  grow(seen.ids().back() + 1, moments);
  for (const ClassId id : seen) {
    mean_[id].copy_(moments.mean(id));
    variance_[id].copy_(moments.variance(id));
    if (scatter_.defined()) scatter_[id].copy_(packed(moments.scatter(id)));
    count_[id].fill_(moments.count(id));
  }
}

bool ClassStatistics::has(ClassId id) const {
  return count_.defined() && id >= 0 && id < count_.size(0) && count_[id].item<int64_t>() > 0;
}

ClassSet ClassStatistics::classes() const {
  std::vector<ClassId> ids;
  for (ClassId id = 0; count_.defined() && id < count_.size(0); ++id) {
    if (has(id)) ids.push_back(id);
  }
  return ClassSet(std::move(ids));
}

int64_t ClassStatistics::start_of(int64_t stage) const {
  return std::accumulate(widths_.begin(), widths_.begin() + stage, int64_t{0});
}

at::Tensor ClassStatistics::rows_of(const ClassSet& classes) const {
  for (const ClassId id : classes) {
    if (!has(id)) throw_error<Error>("there are no statistics of class {}", id);
  }
  return at::tensor(classes.ids(), at::kLong);
}

at::Tensor ClassStatistics::means(int64_t stage, const ClassSet& classes) const {
  const auto width = widths_.at(static_cast<size_t>(stage));
  return mean_.narrow(1, start_of(stage), width).index_select(0, rows_of(classes)).to(at::kDouble);
}

at::Tensor ClassStatistics::variance(int64_t stage) const {
  const auto width = widths_.at(static_cast<size_t>(stage));
  const auto own = variance_.narrow(1, start_of(stage), width).index_select(0, rows_of(classes()));
  return own.to(at::kDouble).mean(0);
}

at::Tensor ClassStatistics::covariance() const {
  if (!scatter_.defined()) return at::diag(variance(stages() - 1));
  const auto mean = scatter_.index_select(0, rows_of(classes())).to(at::kDouble).mean(0);
  return unpacked(mean, widths_.back());
}

int64_t ClassStatistics::bytes_for(const std::vector<int64_t>& widths) {
  if (widths.empty()) return 0;
  const auto total = std::accumulate(widths.begin(), widths.end(), int64_t{0});
  const int64_t scatter = widths.back() <= kLongestScatter ? triangle_size(widths.back()) : 0;
  return (2 * total + scatter) * static_cast<int64_t>(sizeof(float)) +
         static_cast<int64_t>(sizeof(int64_t));
}

int64_t ClassStatistics::bytes_of(ClassId id) const { return has(id) ? bytes_for(widths_) : 0; }

void ClassStatistics::purge(const ClassSet& classes) {
  for (const ClassId id : classes) {
    if (!count_.defined() || id >= count_.size(0)) continue;
    mean_[id].zero_();
    variance_[id].zero_();
    if (scatter_.defined()) scatter_[id].zero_();
    count_[id].zero_();
  }
}

StateDict ClassStatistics::state() const {
  if (!count_.defined()) return {};
  StateDict state = {{"mean", mean_},
                     {"variance", variance_},
                     {"count", count_},
                     {"widths", at::tensor(widths_, at::kLong)}};
  if (scatter_.defined()) state["scatter"] = scatter_;
  return state;
}

void ClassStatistics::load(const StateDict& state) {
  *this = ClassStatistics();
  const auto count = state.find("count");
  if (count == state.end()) return;
  const auto widths = state.at("widths").to(at::kLong).contiguous();
  widths_.assign(widths.data_ptr<int64_t>(), widths.data_ptr<int64_t>() + widths.numel());
  const auto classes = count->second.size(0);
  const auto total = std::accumulate(widths_.begin(), widths_.end(), int64_t{0});
  require_shape("class means", state.at("mean"), {classes, total});
  require_shape("class variances", state.at("variance"), {classes, total});
  count_ = count->second.clone();
  mean_ = state.at("mean").clone();
  variance_ = state.at("variance").clone();
  const auto scatter = state.find("scatter");
  if (scatter == state.end()) return;
  require_shape("class scatter", scatter->second, {classes, triangle_size(widths_.back())});
  scatter_ = scatter->second.clone();
}

}  // namespace lethe
