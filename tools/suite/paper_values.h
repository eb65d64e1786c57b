// Published values that a table shows beside its own: files such as suites/paper/table1.toml.
//
//   [cifar100]                                     # dataset, or "*" for every dataset
//   finetune = { A = 39.7, F = 74.6, S = 51.8 }    # label of a run; percent, as printed
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lethe {

struct PaperScores {
  std::optional<double> a, f, s;  // percent
};

class PaperValues {
 public:
  PaperValues() = default;

  // Throws a ConfigError that names origin and key if the text is invalid.
  static PaperValues parse(std::string_view toml, const std::string& origin);

  bool empty() const { return values_.empty(); }

  // Without any score if there are no published values for this label.
  PaperScores find(const std::string& data, const std::string& label) const;

  // A, F and S as printed; empty cells where nothing was published.
  std::vector<std::string> cells(const std::string& data, const std::string& label) const;

  using Column = std::map<std::string, PaperScores>;  // by label
  const std::map<std::string, Column>& columns() const { return values_; }

 private:
  std::map<std::string, Column> values_;  // by dataset
};

}  // namespace lethe
