#include "lethe/method/registry.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "lethe/core/nearest.h"

namespace lethe {

namespace {

// Keys outside [method.*] that only some methods read.
const std::vector<std::string> kExtraKeys = {"data.saliency"};

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

const char* name_of(WithoutImages what) {
  switch (what) {
    case WithoutImages::kNothing:
      return "nothing";
    case WithoutImages::kCodes:
      return "codes";
    case WithoutImages::kStatistics:
      break;
  }
  return "statistics";
}

bool MethodRecipe::has(const std::string& key) const {
  constexpr std::string_view kPrefix = "method.";
  if (!key.starts_with(kPrefix) || key == "method.name") return true;
  return contains(sections, key.substr(kPrefix.size(), key.rfind('.') - kPrefix.size()));
}

bool MethodRecipe::reads(const std::string& key, const OptionGroups& groups) const {
  if (contains(kExtraKeys, key)) return contains(extra, key);
  const auto is_named = [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.ends_with('.') ? key.starts_with(name) : key == name;
    });
  };
  return has(key) && !is_named(idle) && !(idle_with && is_named(idle_with(groups)));
}

WithoutImages MethodRecipe::without_images_by_default() const {
  OptionGroups groups;
  declare(groups);
  return without_images(groups);
}

void MethodRecipe::resolve(const OptionGroups& groups, const DatasetInfo& info) const {
  if (set_defaults) set_defaults(groups);
  groups.resolve(sections, info);
}

const MethodRegistry& MethodRegistry::builtin() {
  static const MethodRegistry registry = [] {
    MethodRegistry made;
    add_builtin_methods(made);
    return made;
  }();
  return registry;
}

const MethodRecipe& MethodEntry::recipe(Problem problem) const {
  const auto found = recipes.find(problem);
  if (found == recipes.end())
    throw_error<ConfigError>(
        "method '{}' does not work on {}; `lethe list methods` shows the methods that do", name,
        name_of(problem));
  return found->second;
}

std::vector<std::string> MethodRegistry::names(Problem problem) const {
  std::vector<std::string> some;
  for (const auto& entry : entries_) {
    if (entry.works_on(problem)) some.push_back(entry.name);
  }
  return some;
}

std::vector<std::string> MethodRegistry::names_without_images(Problem problem) const {
  std::vector<std::string> some;
  for (const auto& entry : entries_) {
    if (entry.works_on(problem) &&
        entry.recipe(problem).without_images_by_default() != WithoutImages::kNothing)
      some.push_back(entry.name);
  }
  return some;
}

void MethodRegistry::add(MethodEntry entry) {
  for (const auto& known : entries_) {
    if (known.name == entry.name) throw_error<Error>("method '{}' is registered twice", entry.name);
  }
  entries_.push_back(std::move(entry));
}

const MethodEntry& MethodRegistry::find(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& entry : entries_) {
    if (entry.name == method_name(name)) return entry;
    known.push_back(entry.name);
  }
  throw_error<ConfigError>("method.name: unknown method '{}'{}", name,
                           choose_from(method_name(name), known));
}

void MethodRegistry::declare(OptionGroups& groups) const {
  for (const auto& entry : entries_) {
    for (const auto& [problem, recipe] : entry.recipes) recipe.declare(groups);
  }
}

namespace {

struct Sign {
  char sign;
  std::string_view word;
};
constexpr std::array kSigns = {Sign{'*', "_star"}, Sign{'+', "_plus"}};

}  // namespace

std::string method_name(std::string name) {
  for (const auto& [sign, word] : kSigns) {
    if (name.ends_with(word)) name.replace(name.size() - word.size(), word.size(), 1, sign);
  }
  return name;
}

std::string method_folder(std::string name) {
  name = method_name(std::move(name));
  for (const auto& [sign, word] : kSigns) {
    if (name.ends_with(sign)) name.replace(name.size() - 1, 1, word);
  }
  return name;
}

}  // namespace lethe
