// Suites as TOML files: which runs to do on which datasets, and the layout of the table
// (docs/suites.md). The files in suites/ are compiled into the program.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lethe/core/config.h"
#include "tools/suite/suite.h"

namespace lethe {

// Reads the text of a suite. Its default name is the stem of `file`; relative paths are relative to
// the folder of `file`. Throws a ConfigError that names the file and the key for an unknown key, a
// wrong type, an unknown method, layout or preset, an invalid KEY=VALUE, or two runs with the same
// label or folder, and one that names the file and the run if configure() refuses its
// configuration.
Suite parse_suite(std::string_view toml, const std::filesystem::path& file);

// A file, or the name of a built-in suite. Throws ConfigError.
Suite find_suite(const std::string& name_or_file);

struct BuiltinSuite {
  std::string name;
  std::string toml;
  bool is_search;  // a suite from suites/search/, used to choose settings of other suites
};
const std::vector<BuiltinSuite>& builtin_suites();

// The published values of suites/paper/NAME.toml. Throws a ConfigError that suggests the closest
// name.
PaperValues builtin_paper_values(const std::string& name);

// Help for every key of a suite file, section by section.
std::string describe_suite_file();

}  // namespace lethe
