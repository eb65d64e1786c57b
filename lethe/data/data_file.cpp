#include "lethe/data/data_file.h"

#include <algorithm>

namespace lethe {

std::string merged_split(const std::string& a, const std::string& b) {
  return a == b ? a : kBothSplits;
}

std::vector<std::string> merged_classes(std::vector<std::string> a,
                                        const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return {};  // all classes, or unknown
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

}  // namespace lethe
