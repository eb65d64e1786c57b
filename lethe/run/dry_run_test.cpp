#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lethe/core/error.h"
#include "lethe/run/runner.h"
#include "tests/support/image_files.h"
#include "tests/support/scratch.h"

namespace lethe {
namespace {

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << part << "' is not in\n" << text;
}

TEST(DryRunTest, TheResolvedLearningSettingsArePrinted) {
  const auto text =
      dry_run({.config = "smoke",
               .sets = {"data.train_per_class=20", "data.test_per_class=2", "train.epochs=3",
                        "train.epochs_next=1", "train.batch=16", "train.lr=0.05",
                        "train.lr_next=0.01", "aug.crop=pad", "aug.pad=2", "aug.flip=true",
                        "aug.rotation=15", "model.width=8", "train.max_steps=0"},
               .out = "runs/dry"});

  EXPECT_TRUE(has(text, "\ninput         32x32 pixels\n"));
  EXPECT_TRUE(has(text, ", width 8, "));
  EXPECT_TRUE(has(text,
                  "\ntraining      batches of 16 images; first task: 3 epochs, learning rate 0.05; "
                  "later tasks: 1 epoch, learning rate 0.01\n"));
  EXPECT_TRUE(has(text,
                  "\naugmentation  random crop after padding by 2 pixels, horizontal flip, "
                  "rotation by up to 15 degrees\n"));
  EXPECT_FALSE(has(text, "your images"));
}

TEST(DryRunTest, SettingsThatFollowFromYourOwnImagesAreSaidToDoSo) {
  const test::Scratch scratch;
  for (const char* name : {"a", "b"}) {
    for (int i = 0; i < 25; ++i)
      write_noise(scratch.path() / name / (std::to_string(i) + ".png"), i, 40, 40);
  }

  const auto text =
      dry_run({.config = "own_images",
               .sets = {"data.root=" + scratch.path().string(), "stream.tasks=[2]", "requests=[]"},
               .out = "runs/dry"});

  EXPECT_TRUE(has(text, ", width 16, "));
  EXPECT_TRUE(has(
      text, "\ntraining      batches of 16 images; first task: 60 epochs, learning rate 0.0125\n"));
  EXPECT_TRUE(has(text, "number and size of your images, except those that you set"));
  EXPECT_TRUE(has(text, "(1 version of the model with class statistics, one partial checkpoint)"));
}

TEST(DryRunTest, WithoutClassStatisticsTheEstimateOfTheDiskIsWithoutThem) {
  const auto text = dry_run({.config = "smoke",
                             .sets = {"data.train_per_class=20", "data.test_per_class=2",
                                      "model.width=8", "method.statistics=false"},
                             .out = "runs/dry"});

  EXPECT_TRUE(has(text, "(2 versions of the model, one partial checkpoint)"));
}

TEST(DryRunTest, ARequestWithoutImagesPromisesNoNumberOfSteps) {
  const auto text = dry_run(
      {.config = "smoke",
       .sets = {"data.train_per_class=20", "data.test_per_class=2", "model.width=8",
                "train.max_steps=2", "request.steps=7", "method.contrastive.cls_source=codes",
                "requests=[{classes=['solid circle'], before_task=3}]"},
       .out = "runs/dry"});

  EXPECT_TRUE(has(text, " up to 7 |"));
  EXPECT_TRUE(has(text, ": up to 11 steps of "));
  EXPECT_TRUE(has(text, "; at most 2 steps per task\n"));
}

std::string dry_run_with(const std::string& method, int64_t before_task) {
  return dry_run({.config = "smoke",
                  .sets = {"data.train_per_class=20", "data.test_per_class=2", "model.width=8",
                           "method.name=" + method,
                           fmt::format("requests=[{{classes=['solid circle'], before_task={}}}]",
                                       before_task)},
                  .out = "runs/dry"});
}

TEST(DryRunTest, WhatTheMethodCanDoForARequestIsSaid) {
  EXPECT_TRUE(has(dry_run_with("contrastive", 2),
                  "request       solid circle, while task 2 is learned: the method acts on it\n"));
  EXPECT_TRUE(has(dry_run_with("lwf", 2), "the method ignores requests"));
  EXPECT_TRUE(has(dry_run_with("mc_e", 3), "without images: the method works from its codes"));
}

TEST(DryRunTest, ARequestThatTheMethodCannotCarryOutIsRefused) {
  try {
    dry_run_with("lwf*", 3);
    FAIL() << "was not refused";
  } catch (const ConfigError& error) {
    EXPECT_TRUE(has(error.what(), "solid circle is due after the last task"));
    EXPECT_TRUE(has(error.what(), "a method that needs none: mc, mc_e, mc_m"));
  }
}

}  // namespace
}  // namespace lethe
