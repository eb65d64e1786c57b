// Suites as TOML files: what runs on which datasets, and how the table looks (docs/suites.md). The
// files of suites/ are compiled in.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lethe/core/config.h"
#include "tools/suite/suite.h"

namespace lethe {

// Reads the text of a suite; its default name is the stem of file, relative paths count from its
// folder. Throws ConfigError that names file and key: unknown key, wrong type, unknown method,
// layout or preset, a KEY=VALUE that no run could read, two runs with one label or folder.
Suite parse_suite(std::string_view toml, const std::filesystem::path& file);

// A file, or the name of a built-in suite. Throws ConfigError.
Suite find_suite(const std::string& name_or_file);

struct BuiltinSuite {
  std::string name;
  std::string toml;
  bool is_search;  // from suites/search/: chose settings of other suites
};
const std::vector<BuiltinSuite>& builtin_suites();

// The published values of suites/paper/NAME.toml. Throws ConfigError that offers the nearest name.
PaperValues builtin_paper_values(const std::string& name);

// Help for every key of a suite file, section by section.
std::string describe_suite_file();

}  // namespace lethe
