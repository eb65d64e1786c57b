// The one list of methods. A new one is a file with its class and a line in builtin_methods.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lethe/data/dataset.h"
#include "lethe/method/method.h"
#include "lethe/method/option_groups.h"

namespace lethe {

// How a method is put together for one kind of problem.
struct MethodRecipe {
  std::vector<std::string> sections;  // its [method.<section>]s
  std::function<void(OptionGroups&)> declare;
  std::function<void(const OptionGroups&)>
      resolve;  // what "auto" means for this method; may be null
  std::function<std::unique_ptr<Method>(const OptionGroups&)> make;  // of resolved options
  // What model.classifier and model.init mean if they are "auto"; null = the network's default.
  const char* classifier = nullptr;
  const char* (*init)(const OptionGroups&) = nullptr;
  // Keys of its sections that do nothing for it.
  std::vector<std::string> idle = {};
  bool reads_saliency = false;
  bool compares_classes = false;  // of a batch, so that its size matters
};

struct MethodEntry {
  std::string name;       // "lwf*"
  std::string summary;    // one line of what it does
  std::string reference;  // where it comes from
  std::map<Problem, MethodRecipe> recipes;

  bool works_on(Problem problem) const { return recipes.contains(problem); }
  // Throws ConfigError if it does not work on that problem.
  const MethodRecipe& recipe(Problem problem) const;
  // Replaces every "auto" in its options.
  void resolve(const OptionGroups& groups, const DatasetInfo& info) const;
};

class MethodRegistry {
 public:
  // All built-in methods: method/builtin_methods.cpp.
  static const MethodRegistry& builtin();

  void add(MethodEntry entry);
  const std::vector<MethodEntry>& entries() const { return entries_; }
  std::vector<std::string> names(Problem problem) const;

  // By name; "lwf_star" is "lwf*". Throws ConfigError that offers the nearest known name and lists
  // all.
  const MethodEntry& find(const std::string& name) const;

  // Makes the option groups of every method.
  void declare(OptionGroups& groups) const;

 private:
  std::vector<MethodEntry> entries_;
};

void add_builtin_methods(MethodRegistry& registry);

// "lwf_star" -> "lwf*": shells do not like stars. And back, for folders.
std::string method_name(std::string name);
std::string method_folder(std::string name);

}  // namespace lethe
