#include "lethe/audit/material.h"

#include <utility>

#include "lethe/model/torch.h"

namespace lethe {

MeasuredModel::MeasuredModel(AuditModel model, const Truth& truth, const Rows& fit,
                             const Rows& test, const RowOptions& options)
    : model_(std::move(model)),
      fit_(embed(*model_.network, fit, options)),
      test_(embed(*model_.network, test, options)) {
  for (size_t k = 0; k < fit_.stages.size(); ++k)
    figures_.emplace_back(truth, fit_.stages[k], test_.stages[k]);
}

at::Tensor MeasuredModel::scores(const AuditModel& model, const at::Tensor& logits,
                                 const ClassSet& classes) {
  std::vector<at::Tensor> columns;
  for (const ClassId id : classes) {
    const auto column = model.column.at(static_cast<size_t>(id));
    columns.push_back(column < 0 ? at::full({logits.size(0)}, kErasedLogit, logits.options())
                                 : logits.select(1, column));
  }
  return at::stack(columns, 1);
}

ClassSet Material::rivals(ClassId id) const {
  const auto seen = forgotten | kept;
  const auto own = plan.task(plan.task_of(id)).new_classes & seen;
  return own.size() > 1 ? own : seen;
}

std::string Material::unit() const { return test.place.defined() ? "pixels" : "images"; }

}  // namespace lethe
