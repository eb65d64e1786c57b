#include "lethe/method/head_columns.h"

#include "lethe/model/torch.h"

namespace lethe {

HeadColumns::HeadColumns(const Step& step, const Head& head)
    : head_(head), classes_(ClassSet::range(head.first, head.count) - step.erased()) {}

at::Tensor HeadColumns::of(const at::Tensor& all, int64_t dim) const {
  if (!complete()) {
    const auto columns = at::tensor(classes_.ids(), at::kLong).to(all.device());
    return all.index_select(dim, columns);
  }
  return head_.count == all.size(dim) ? all : all.narrow(dim, head_.first, head_.count);
}

}  // namespace lethe
