// The checks of an audit: each turns the material into records with figures and outcomes.
#pragma once

#include <vector>

#include "lethe/audit/material.h"
#include "lethe/audit/record.h"
#include "lethe/run/audit_options.h"

namespace lethe {

class Checks {
 public:
  // Both must outlive this object.
  Checks(Material& material, const AuditOptions& options);

  // By name, as in audit_checks(). At least one record.
  std::vector<CheckRecord> run(const std::string& check);

 private:
  using PerClass = std::function<Figure(StageFigures&, ClassId)>;

  CheckRecord start(const std::string& check, const std::string& title,
                    const std::string& figure) const;
  // A figure of the features at one stage, pooled over classes, against the oracles.
  CheckRecord feature_check(CheckRecord record, int64_t stage, double margin,
                            const PerClass& figure);
  std::vector<CheckRecord> every_stage(const std::string& check, const std::string& title,
                                       const std::string& figure, double margin,
                                       const PerClass& per_class);
  std::vector<CheckRecord> outputs();
  std::vector<CheckRecord> shots();
  std::vector<CheckRecord> graft();
  std::vector<CheckRecord> relearning();
  std::vector<CheckRecord> membership();
  std::vector<CheckRecord> closer();
  std::vector<CheckRecord> control();

  void judge(CheckRecord& record, double margin) const;
  at::Tensor probabilities(const MeasuredModel& measured, const at::Tensor& logits) const;
  CheckRecord output_check(const std::string& title, bool over_all, const ClassSet& rivals);
  CheckRecord background_check();
  void describe_answers(CheckRecord& record) const;

  Material& material_;
  const AuditOptions& options_;
  uint64_t seed_;
  Resampling resampling_;
};

}  // namespace lethe
