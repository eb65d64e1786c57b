#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "apps/lethe/commands.h"
#include "lethe/data/options.h"
#include "lethe/method/registry.h"
#include "lethe/model/options.h"
#include "lethe/record/run_files.h"
#include "lethe/run/audit_options.h"
#include "lethe/run/presets.h"
#include "tools/suite/suite_file.h"

namespace lethe::app {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

// The kinds of problems that a method works on, and what it can use for a request without images.
std::string kinds_text(const MethodEntry& entry) {
  std::string kinds;
  std::string without;
  const auto& recipes = entry.recipes;
  const bool is_same = std::all_of(recipes.begin(), recipes.end(), [&](const auto& one) {
    return one.second.without_images_by_default() ==
           recipes.begin()->second.without_images_by_default();
  });
  for (const auto& [problem, recipe] : recipes) {
    kinds += (kinds.empty() ? "" : ", ") + std::string(name_of(problem));
    const auto uses = recipe.without_images_by_default();
    if (!is_same && uses != WithoutImages::kNothing)
      without +=
          fmt::format("{}{} ({})", without.empty() ? "" : ", ", name_of(uses), name_of(problem));
  }
  if (is_same && recipes.begin()->second.without_images_by_default() != WithoutImages::kNothing)
    without = name_of(recipes.begin()->second.without_images_by_default());
  return fmt::format("{}; request without images: {}", kinds,
                     without.empty() ? "nothing" : without);
}

Rows methods() {
  Rows rows;
  for (const auto& entry : MethodRegistry::builtin().entries()) {
    rows.emplace_back(
        entry.name, fmt::format("{} [{}; {}]", entry.summary, kinds_text(entry), entry.reference));
  }
  return rows;
}

Rows datasets() {
  Rows rows;
  for (const auto& entry : builtin_datasets()) {
    rows.emplace_back(entry.name,
                      entry.root_help.empty()
                          ? entry.summary + "; needs no files"
                          : fmt::format("{}; data.root: {}", entry.summary, entry.root_help));
  }
  return rows;
}

Rows models() {
  Rows rows;
  for (const auto& entry : builtin_models()) rows.emplace_back(entry.name, entry.summary);
  return rows;
}

Rows preset_rows() {
  Rows rows;
  for (const auto& preset : presets()) rows.emplace_back(preset.name, preset.summary());
  return rows;
}

Rows suites() {
  Rows rows;
  for (const auto& suite : builtin_suites()) {
    const auto summary = find_suite(suite.name).summary;
    rows.emplace_back(suite.name, suite.is_search ? summary + " [search]" : summary);
  }
  return rows;
}

Rows checks() {
  Rows rows;
  for (const auto& check : audit_check_list()) rows.emplace_back(check.name, check.question);
  return rows;
}

Rows files() {
  Rows rows;
  for (const auto& file : run_files()) rows.emplace_back(file.name, file.content);
  return rows;
}

int print(const Rows& rows) {
  size_t width = 0;
  for (const auto& [name, text] : rows) width = std::max(width, name.size());
  for (const auto& [name, text] : rows) fmt::print("{:<{}}  {}\n", name, width, text);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  static const std::map<std::string, std::pair<std::string, Rows (*)()>> lists = {
      {"methods", {"List the methods.", methods}},
      {"datasets", {"List the datasets and the files they need.", datasets}},
      {"models", {"List the networks.", models}},
      {"presets", {"List the built-in configurations.", preset_rows}},
      {"suites",
       {"List the suites (a suite is several runs that give one table).\n"
        "Suites marked [search] chose the settings of the other suites.",
        suites}},
      {"checks", {"List the checks of `lethe audit`.", checks}},
      {"files", {"List the files of a run directory.", files}},
  };
  auto* command = app.add_subcommand(
      "list",
      "List the built-in methods, datasets, models, presets or suites, or the files of a run.");
  command->footer("example: lethe list methods");
  command->require_subcommand(1);
  for (const auto& [name, entry] : lists) {
    const auto rows = entry.second;
    auto* list = command->add_subcommand(name, entry.first);
    list->footer("example: lethe list " + name);
    list->callback([rows, &action] { action = [rows] { return print(rows()); }; });
  }
}

}  // namespace lethe::app
