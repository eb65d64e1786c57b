// The list of methods. To add a method, write a file with its class and add a line to
// builtin_methods.cpp.
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

// What a method uses in the steps of an event without images. Steps in which a method has nothing
// but regularisers are skipped.
enum class WithoutImages {
  kNothing,     // it needs images
  kCodes,       // mnemonic codes
  kStatistics,  // stored statistics of classes
};
const char* name_of(WithoutImages what);  // "nothing", "codes", "statistics"

// How a method is made for one kind of problem. compose() in part_recipe.h makes a recipe from
// parts.
struct MethodRecipe {
  std::vector<std::string> sections;  // the sections [method.<section>] that it reads
  std::function<void(OptionGroups&)> declare;
  std::function<std::unique_ptr<Method>(const OptionGroups&)> make;  // from resolved options
  // Sets default values that depend on the method. May be null.
  std::function<void(const OptionGroups&)> set_defaults = {};

  // Default values of model.classifier and model.init; null = the network's defaults.
  const char* classifier = nullptr;
  const char* (*init)(const OptionGroups&) = nullptr;

  // Keys of its sections that have no effect, and further ones that have none with these options
  // (null = none). "method.code." stands for all keys of the section.
  std::vector<std::string> idle = {};
  std::function<std::vector<std::string>(const OptionGroups&)> idle_with = {};
  std::vector<std::string> extra = {};  // keys outside its sections that only some methods read
  // Its terms compare classes within a batch, so train.accumulate weakens them.
  bool compares_classes = false;
  std::function<WithoutImages(const OptionGroups&)> without_images;

  // For the first-task cache (first_task.h): the parts that have an effect in the first task, and
  // whether the state after the first task depends on the requests.
  std::vector<std::string> first_task_parts = {};
  bool first_task_uses_requests = false;

  // Whether the key belongs to this method, or to all methods.
  bool has(const std::string& key) const;
  // Whether the key has an effect on this method with these options.
  bool reads(const std::string& key, const OptionGroups& groups) const;
  WithoutImages without_images_by_default() const;
  // Fills in every option that the user has not set. Throws ConfigError if a value does not fit the
  // dataset.
  void resolve(const OptionGroups& groups, const DatasetInfo& info) const;
};

struct MethodEntry {
  std::string name;       // "lwf*"
  std::string summary;    // one line for `lethe list methods`
  std::string reference;  // the paper
  std::map<Problem, MethodRecipe> recipes;

  bool works_on(Problem problem) const { return recipes.contains(problem); }
  // Throws ConfigError if the method does not work on that problem.
  const MethodRecipe& recipe(Problem problem) const;
};

class MethodRegistry {
 public:
  // All built-in methods: method/builtin_methods.cpp.
  static const MethodRegistry& builtin();

  // Throws Error if the name is taken.
  void add(MethodEntry entry);
  const std::vector<MethodEntry>& entries() const { return entries_; }
  std::vector<std::string> names(Problem problem) const;
  // Of these, the methods that can act on a request without images.
  std::vector<std::string> names_without_images(Problem problem) const;

  // "lwf_star" finds "lwf*", "contrastive_plus" finds "contrastive+". Throws ConfigError for an
  // unknown name; the message suggests the closest name and lists all.
  const MethodEntry& find(const std::string& name) const;

  // Makes the option groups of all methods.
  void declare(OptionGroups& groups) const;

 private:
  std::vector<MethodEntry> entries_;
};

void add_builtin_methods(MethodRegistry& registry);

// "lwf_star" -> "lwf*", "contrastive_plus" -> "contrastive+". Users may write the words, because a
// star must be quoted in a shell.
std::string method_name(std::string name);
// "lwf*" -> "lwf_star", "contrastive+" -> "contrastive_plus", for folders.
std::string method_folder(std::string name);

}  // namespace lethe
