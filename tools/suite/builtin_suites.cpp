// The files of suites/ and suites/search/, and the values of suites/paper/, as compiled in.
#include <string>
#include <vector>

#include "lethe/core/error.h"
#include "lethe/core/nearest.h"
#include "tools/suite/suite_file.h"

namespace lethe {

namespace {

struct EmbeddedFile {
  std::string path;  // below suites/, without ".toml"
  std::string toml;
};

const std::vector<EmbeddedFile>& embedded_files() {
  static const std::vector<EmbeddedFile> all = {
#include "suites.inc"
  };
  return all;
}

constexpr std::string_view kPaper = "paper/";
constexpr std::string_view kSearch = "search/";

}  // namespace

const std::vector<BuiltinSuite>& builtin_suites() {
  static const std::vector<BuiltinSuite> all = [] {
    std::vector<BuiltinSuite> suites, searches;
    for (const auto& [path, toml] : embedded_files()) {
      if (path.starts_with(kPaper)) continue;
      if (path.starts_with(kSearch)) {
        searches.push_back({path.substr(kSearch.size()), toml, true});
      } else {
        suites.push_back({path, toml, false});
      }
    }
    suites.insert(suites.end(), searches.begin(), searches.end());
    return suites;
  }();
  return all;
}

PaperValues builtin_paper_values(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [path, toml] : embedded_files()) {
    if (!path.starts_with(kPaper)) continue;
    known.push_back(path.substr(kPaper.size()));
    if (known.back() == name) return PaperValues::parse(toml, "suites/" + path + ".toml");
  }
  throw_error<ConfigError>("no published values are called '{}'{}", name, choose_from(name, known));
}

}  // namespace lethe
