#include "lethe/trainer/erased_rows.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lethe {

namespace {

constexpr int64_t kShortest = 32;  // bytes

void add_mark(const at::Tensor& row, std::vector<ByteMark>& marks) {
  const auto values = row.detach().cpu().contiguous();
  const auto bytes = static_cast<size_t>(values.nbytes());
  if (static_cast<int64_t>(bytes) < kShortest || values.count_nonzero().item<int64_t>() == 0)
    return;
  marks.push_back(mark_of({static_cast<const uint8_t*>(values.data_ptr()), bytes}));
}

// A model that was trained again may never have had the last rows.
bool is_gone(const at::Tensor& now, const at::Tensor& before, ClassId id) {
  if (now.dim() != before.dim()) return false;
  if (now.size(0) <= id) return now.sizes().slice(1) == before.sizes().slice(1);
  return now[id].count_nonzero().item<int64_t>() == 0;
}

}  // namespace

std::vector<ByteMark> classifier_marks(const StateDict& model,
                                       const std::vector<ClassEntry>& entries, ClassId id) {
  std::vector<ByteMark> marks;
  for (const auto& entry : entries) {
    const auto& ids = entry.classes.ids();
    const auto found = std::lower_bound(ids.begin(), ids.end(), id);
    if (!entry.per_row || found == ids.end() || *found != id) continue;
    const auto row = found - ids.begin();
    const auto tensor = model.find(entry.name);
    if (tensor != model.end() && tensor->second.size(0) > row) add_mark(tensor->second[row], marks);
  }
  return marks;
}

std::vector<ByteMark> state_marks(const StateDict& before, const StateDict& after, ClassId id) {
  std::vector<ByteMark> marks;
  for (const auto& [name, tensor] : before) {
    const auto now = after.find(name);
    if (now == after.end() || tensor.dim() < 2 || tensor.size(0) <= id) continue;
    if (is_gone(now->second, tensor, id)) add_mark(tensor[id], marks);
  }
  return marks;
}

}  // namespace lethe
