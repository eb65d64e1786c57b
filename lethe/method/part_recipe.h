// Methods are lists of parts: "lwf*" is fine-tuning and the distillation of kept classes. A
// PartRecipe describes how a part is made, which options the part reads, and what the part does in
// the first task.
//
//   registry.add({"le*", "lwf* and ewc* together", kPaper,
//                 images(compose({fine_tune_part(), lwf_part(kKept), ewc_part(kKept)}))});
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lethe/method/option_groups.h"
#include "lethe/method/registry.h"

namespace lethe {

class ClassStatistics;
class CodeBook;
class ErasedTeacher;

// Objects that the parts of a method share. A part can use the objects made by the parts before it.
struct SharedObjects {
  std::shared_ptr<CodeBook> codes;  // null in methods without mnemonic codes
  // Statistics of the classes, stored by the statistics part; null before a part asks for them.
  std::shared_ptr<ClassStatistics> statistics;
  std::shared_ptr<ErasedTeacher> teacher;  // null: the old model itself is the teacher
};

struct PartRecipe {
  // The prefix of its state entries. Parts that behave differently in the first task need different
  // names.
  std::string name;
  std::vector<std::string> sections;
  std::function<void(OptionGroups&)> declare;
  std::function<std::unique_ptr<Method>(const OptionGroups&, SharedObjects&)> make;

  // See MethodRecipe.
  std::function<void(const OptionGroups&)> set_defaults = {};
  std::vector<std::string> idle = {};
  std::function<std::vector<std::string>(const OptionGroups&)> idle_with = {};
  std::vector<std::string> extra = {};
  bool compares_classes = false;
  std::function<WithoutImages(const OptionGroups&)> without_images = {};  // null: nothing
  bool after_first_task = false;  // adds neither terms nor state in the first task
  bool first_task_uses_requests = false;
};

// A part that reads the options of Groups. make(options, shared) returns a std::unique_ptr<Method>.
template <typename... Groups, typename Make>
PartRecipe make_part(const std::string& name, Make make) {
  return {.name = name,
          .sections = {Groups::kSection...},
          .declare = [](OptionGroups& groups) { (groups.add<Groups>(), ...); },
          .make = std::move(make)};
}

// For PartRecipe::without_images: the same with all options.
std::function<WithoutImages(const OptionGroups&)> always(WithoutImages what);

// The composition of the parts, in this order. Without images it does what its strongest part does.
MethodRecipe compose(std::vector<PartRecipe> parts);

// The recipes of a method that works on one kind of problem, or on both.
std::map<Problem, MethodRecipe> images(MethodRecipe recipe);
std::map<Problem, MethodRecipe> masks(MethodRecipe recipe);
std::map<Problem, MethodRecipe> images_and_masks(MethodRecipe images, MethodRecipe masks);

}  // namespace lethe
