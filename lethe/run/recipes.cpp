#include "lethe/run/recipes.h"

#include <algorithm>
#include <cmath>

namespace lethe {

namespace {

struct NamedRecipe {
  const char* dataset;
  Recipe recipe;
  double lr_pretrained;  // smaller, to fine-tune pretrained weights
};

constexpr NamedRecipe kRecipes[] = {
    {"fashion_mnist", {.width = 16, .stem = "cifar_s2", .lr = 0.05}, 0.01},
    {"shapes", {.width = 16, .stem = "cifar_s2", .lr = 0.05}, 0.01},
    {"cifar10", {.stem = "cifar"}, 0.02},
    {"cifar100", {.stem = "cifar"}, 0.02},
    {"cub200", {}, 1e-3},
    {"cars", {}, 1e-3},
    {"shapes_seg", {.width = 16, .lr = 1e-2, .backbone = "resnet18", .head_channels = 64}, 1e-2},
};
constexpr NamedRecipe kOtherImages = {"", {}, 0.02};
constexpr NamedRecipe kOtherMasks = {"", {.lr = 1e-2}, 1e-2};

const NamedRecipe& find_recipe(const std::string& dataset, Problem problem) {
  for (const auto& named : kRecipes) {
    if (named.dataset == dataset) return named;
  }
  return problem == Problem::kMasks ? kOtherMasks : kOtherImages;
}

}  // namespace

double Recipe::lr_for(int64_t batch_size) const {
  if (!lr_follows_batch) return lr;
  return lr * static_cast<double>(batch_size) / static_cast<double>(kDefaultBatch);
}

Recipe recipe_for(const std::string& dataset, Problem problem, bool pretrained) {
  const auto& named = find_recipe(dataset, problem);
  Recipe recipe = named.recipe;
  if (pretrained) recipe.lr = named.lr_pretrained;
  return recipe;
}

Recipe own_images_recipe(const OwnImages& own, bool pretrained) {
  constexpr int64_t kFew = 2'000;
  constexpr int64_t kMany = 20'000;
  const auto by_number = [](int64_t images, int64_t few, int64_t some, int64_t many) {
    return images < kFew ? few : images < kMany ? some : many;
  };
  const int64_t per_task = std::max<int64_t>(1, own.images / std::max<int64_t>(1, own.tasks));
  const auto epochs = std::lround(1000 / std::sqrt(static_cast<double>(per_task)));
  return {.width = pretrained ? 64 : by_number(own.images, 16, 32, 64),
          .stem = own.side <= 64 && !pretrained ? "cifar_s2" : nullptr,
          .lr = pretrained ? 0.02 : 0.05,
          .epochs = std::clamp<int64_t>(epochs, 5, 60),
          .batch = by_number(per_task, 16, 32, 64),
          .lr_follows_batch = true};
}

}  // namespace lethe
