#include "lethe/method/part_recipe.h"

#include <algorithm>

#include "lethe/method/composite.h"

namespace lethe {

namespace {

void append(std::vector<std::string>& all, const std::vector<std::string>& some) {
  for (const auto& one : some) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

}  // namespace

std::function<WithoutImages(const OptionGroups&)> always(WithoutImages what) {
  return [what](const OptionGroups&) { return what; };
}

MethodRecipe compose(std::vector<PartRecipe> parts) {
  MethodRecipe made;
  for (const auto& part : parts) {
    append(made.sections, part.sections);
    append(made.idle, part.idle);
    append(made.extra, part.extra);
    made.compares_classes = made.compares_classes || part.compares_classes;
    if (!part.after_first_task) made.first_task_parts.push_back(part.name);
    made.first_task_uses_requests = made.first_task_uses_requests || part.first_task_uses_requests;
  }
  made.without_images = [parts](const OptionGroups& groups) {
    auto best = WithoutImages::kNothing;
    for (const auto& part : parts) {
      if (part.without_images) best = std::max(best, part.without_images(groups));
    }
    return best;
  };
  made.idle_with = [parts](const OptionGroups& groups) {
    std::vector<std::string> keys;
    for (const auto& part : parts) {
      if (part.idle_with) append(keys, part.idle_with(groups));
    }
    return keys;
  };
  made.declare = [parts](OptionGroups& groups) {
    for (const auto& part : parts) part.declare(groups);
  };
  made.set_defaults = [parts](const OptionGroups& groups) {
    for (const auto& part : parts) {
      if (part.set_defaults) part.set_defaults(groups);
    }
  };
  made.make = [parts](const OptionGroups& groups) -> std::unique_ptr<Method> {
    SharedObjects shared;
    std::vector<Composite::Part> all;
    for (const auto& part : parts) all.push_back({part.name, part.make(groups, shared)});
    return std::make_unique<Composite>(std::move(all));
  };
  return made;
}

std::map<Problem, MethodRecipe> images(MethodRecipe recipe) {
  return {{Problem::kImages, std::move(recipe)}};
}

std::map<Problem, MethodRecipe> masks(MethodRecipe recipe) {
  return {{Problem::kMasks, std::move(recipe)}};
}

std::map<Problem, MethodRecipe> images_and_masks(MethodRecipe images, MethodRecipe masks) {
  return {{Problem::kImages, std::move(images)}, {Problem::kMasks, std::move(masks)}};
}

}  // namespace lethe
