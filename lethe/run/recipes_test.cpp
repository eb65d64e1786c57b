#include "lethe/run/recipes.h"

#include <gtest/gtest.h>

namespace lethe {
namespace {

TEST(RecipesTest, FewImagesGetANarrowNetworkSmallBatchesAndManyEpochs) {
  const auto few = own_images_recipe({.images = 480, .tasks = 1, .side = 64}, false);
  EXPECT_EQ(few.width, 16);
  EXPECT_EQ(few.batch, 16);
  EXPECT_EQ(few.epochs, 46);  // 1000 / sqrt(480)
  EXPECT_DOUBLE_EQ(few.lr_for(16), 0.0125);
  EXPECT_STREQ(few.stem, "cifar_s2");

  const auto some = own_images_recipe({.images = 5'000, .tasks = 1, .side = 32}, false);
  EXPECT_EQ(some.width, 32);
  EXPECT_EQ(some.batch, 32);
  EXPECT_EQ(some.epochs, 14);

  const auto many = own_images_recipe({.images = 100'000, .tasks = 1, .side = 224}, false);
  EXPECT_EQ(many.width, 64);
  EXPECT_EQ(many.batch, 64);
  EXPECT_EQ(many.epochs, 5);
  EXPECT_EQ(many.stem, nullptr);
}

TEST(RecipesTest, EpochsAndBatchFollowTheImagesOfATask) {
  const auto whole = own_images_recipe({.images = 6'000, .tasks = 1, .side = 32}, false);
  const auto parts = own_images_recipe({.images = 6'000, .tasks = 10, .side = 32}, false);

  EXPECT_EQ(parts.width, whole.width);
  EXPECT_EQ(parts.batch, 16);
  EXPECT_EQ(parts.epochs, 41);  // 1000 / sqrt(600)
}

TEST(RecipesTest, TheSmallestDatasetsGetSixtyEpochs) {
  for (const int64_t images : {0, 1, 10, 250})
    EXPECT_EQ(own_images_recipe({.images = images, .tasks = 1, .side = 32}, false).epochs, 60);
}

TEST(RecipesTest, PretrainedWeightsGetASmallerLearningRateAndTheirOwnWidth) {
  const auto recipe = own_images_recipe({.images = 480, .tasks = 1, .side = 64}, true);

  EXPECT_EQ(recipe.width, 64);
  EXPECT_EQ(recipe.stem, nullptr);
  EXPECT_DOUBLE_EQ(recipe.lr_for(16), 0.005);
  EXPECT_EQ(recipe_for("cub200", Problem::kImages, true).lr, 1e-3);
  EXPECT_EQ(recipe_for("cub200", Problem::kImages, false).lr, 0.1);
}

TEST(RecipesTest, TheLearningRateOfANamedDatasetDoesNotFollowTheBatch) {
  const auto recipe = recipe_for("fashion_mnist", Problem::kImages, false);

  EXPECT_EQ(recipe.width, 16);
  EXPECT_EQ(recipe.epochs, 4);
  EXPECT_EQ(recipe.batch, 64);
  EXPECT_EQ(recipe.lr_for(16), recipe.lr_for(64));
}

}  // namespace
}  // namespace lethe
