#include "lethe/core/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lethe/core/error.h"
#include "tests/support/data_files.h"

namespace lethe {
namespace {

struct Toy {
  bool flag = false;
  int64_t epochs = 4;
  double momentum = 0.9;
  std::string schedule = "cosine";
  std::string root;
  std::optional<double> lr;
  std::vector<int64_t> steps = {1, 2};
  std::vector<std::string> names;
  enum class Star { kDrop, kRestrict } star = Star::kDrop;
  std::optional<Star> mode;
  std::vector<Star> stars = {Star::kRestrict, Star::kDrop};
};

const ChoiceNames<Toy::Star> kStars = {{Toy::Star::kDrop, "drop"},
                                       {Toy::Star::kRestrict, "restrict"}};

Fields fields(Toy& o) {
  return {
      {"seed", &o.epochs, "top-level key"},
      {"train.flag", &o.flag, "a switch"},
      {"train.epochs", &o.epochs, "passes", at_least(1)},
      {"train.momentum", &o.momentum, "of SGD", at_least_below(0, 1)},
      {"train.schedule", &o.schedule, "how lr falls", {}, {"cosine", "poly"}},
      {"data.root", &o.root, "a folder", {}, {}, /*is_path=*/true},
      {"train.lr", &o.lr, "rate", above(0)},
      {"train.steps", &o.steps, "numbers", at_least(0)},
      {"train.names", &o.names, "texts"},
      formerly("train.old_star",
               formerly_value("leave", "restrict", {"train.star", choice(&o.star, kStars), "x"})),
      common({"train.mode", choice(&o.mode, kStars), "y"}),
      {"train.stars", choice_list(&o.stars, kStars), "z"},
  };
}

std::string message_for(const std::string& toml) {
  return message_of<ConfigError>([&] {
    Toy toy;
    ConfigText::from_string(toml, "x.toml").apply(fields(toy));
  });
}

std::string message_for_set(const std::string& assignment) {
  return message_of<ConfigError>([&] {
    Toy toy;
    ConfigText text;
    text.set(assignment);
    text.apply(fields(toy));
  });
}

TEST(ConfigTest, ValuesReachTheirVariables) {
  Toy toy;

  ConfigText::from_string(
      "[train]\nflag = true\nepochs = 7\nmomentum = 0\nlr = 0.5\nschedule = \"poly\"\nsteps = "
      "[3]\nnames = [\"a b\"]\n",
      "x.toml")
      .apply(fields(toy));

  EXPECT_TRUE(toy.flag);
  EXPECT_EQ(toy.epochs, 7);
  EXPECT_EQ(toy.momentum, 0.0);
  EXPECT_EQ(toy.lr, 0.5);
  EXPECT_EQ(toy.schedule, "poly");
  EXPECT_EQ(toy.steps, std::vector<int64_t>{3});
  EXPECT_EQ(toy.names, std::vector<std::string>{"a b"});
}

TEST(ConfigTest, AnUnknownKeyIsAnErrorThatNamesFileKeyAndTheNearestOne) {
  EXPECT_EQ(message_for("[train]\nepoch = 3\n"),
            "x.toml: unknown key 'train.epoch'; did you mean 'train.epochs'?");
  EXPECT_EQ(message_for("train = 3\n"), "x.toml: unknown key 'train': it is a section");
}

TEST(ConfigTest, OutOfRangeIsAnErrorThatNamesTheRange) {
  EXPECT_EQ(message_for("[train]\nmomentum = 1.2\n"),
            "x.toml: train.momentum = 1.2: must be in [0, 1)");
  EXPECT_EQ(message_for("[train]\nepochs = 0\n"), "x.toml: train.epochs = 0: must be >= 1");
  EXPECT_EQ(message_for("[train]\nlr = 0.0\n"), "x.toml: train.lr = 0.0: must be > 0, or \"auto\"");
  EXPECT_EQ(message_for("[train]\nsteps = [1, -1]\n"),
            "x.toml: train.steps = [1,-1]: must be >= 0");
}

TEST(ConfigTest, AWrongTypeIsAnError) {
  EXPECT_EQ(message_for("[train]\nepochs = \"three\"\n"),
            "x.toml: train.epochs = \"three\": must be an integer");
  EXPECT_EQ(message_for("[train]\nepochs = 2.5\n"),
            "x.toml: train.epochs = 2.5: must be an integer");
  EXPECT_EQ(message_for("[train]\nflag = 1\n"), "x.toml: train.flag = 1: must be true or false");
  EXPECT_EQ(message_for("[train]\nmomentum = inf\n"),
            "x.toml: train.momentum = inf: must be a finite number");
}

TEST(ConfigTest, AnUnknownChoiceIsAnErrorThatOffersTheNearest) {
  EXPECT_EQ(
      message_for("[train]\nschedule = \"cosin\"\n"),
      "x.toml: train.schedule = \"cosin\": must be one of cosine, poly; did you mean 'cosine'?");
}

TEST(ConfigTest, TextThatIsNotTomlIsAnErrorWithItsLine) {
  EXPECT_NE(message_for("[train]\nepochs = = 3\n").find("x.toml:2:"), std::string::npos);
}

TEST(ConfigTest, SetReadsItsValueByTheDeclaredType) {
  Toy toy;
  ConfigText text;
  for (const char* assignment : {"train.epochs=9", "train.schedule=poly", "train.lr=1e-3",
                                 "train.flag=true", "train.steps=[4,5]", "train.names=a,b"}) {
    text.set(assignment);
  }

  text.apply(fields(toy));

  EXPECT_EQ(toy.epochs, 9);
  EXPECT_EQ(toy.schedule, "poly");
  EXPECT_EQ(toy.lr, 1e-3);
  EXPECT_TRUE(toy.flag);
  EXPECT_EQ(toy.steps, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(toy.names, (std::vector<std::string>{"a", "b"}));
}

TEST(ConfigTest, SetWinsOverTheFileAndItsErrorsSaySo) {
  Toy toy;
  auto text = ConfigText::from_string("[train]\nepochs = 3\n", "x.toml");
  text.set("train.epochs=5");
  text.apply(fields(toy));

  EXPECT_EQ(toy.epochs, 5);
  EXPECT_EQ(message_for_set("train.epochs=many"),
            "--set: train.epochs = \"many\": must be an integer");
  EXPECT_EQ(message_for_set("train.epochs"),
            "--set train.epochs: expected KEY=VALUE, e.g. train.lr=0.05");
}

TEST(ConfigTest, AutoTakesAValueAwayAndIsWrittenAsAuto) {
  Toy toy;
  toy.lr = 0.3;
  ConfigText text;
  text.set("train.lr=auto");

  text.apply(fields(toy));

  EXPECT_FALSE(toy.lr.has_value());
  EXPECT_NE(to_toml(fields(toy)).find("lr = \"auto\""), std::string::npos);
}

TEST(ConfigTest, TheWrittenConfigurationReadsBackToTheSameValues) {
  Toy toy;
  toy.flag = true;
  toy.momentum = 0.1 + 0.2;  // a number that needs all its digits
  toy.lr = 3;
  toy.names = {"T-shirt/top", "quote \" and \\ slash", "line\nbreak"};
  Toy copy;

  ConfigText::from_string(to_toml(fields(toy)), "again").apply(fields(copy));

  EXPECT_FALSE(first_difference(fields(toy), fields(copy)).has_value());
  EXPECT_EQ(copy.momentum, toy.momentum);
  EXPECT_EQ(copy.names, toy.names);
}

TEST(ConfigTest, TheFirstDifferenceIsNamed) {
  Toy a;
  Toy b;
  b.momentum = 0.5;

  const auto difference = first_difference(fields(a), fields(b));

  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->key, "train.momentum");
  EXPECT_EQ(difference->left, "0.9");
  EXPECT_EQ(difference->right, "0.5");
}

TEST(ConfigTest, ARelativePathCountsFromTheConfigFile) {
  const auto folder = std::filesystem::temp_directory_path() / "lethe_config_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.toml") << "[data]\nroot = \"sets/x\"\n";
  Toy toy;

  ConfigText::from_file(folder / "a.toml").apply(fields(toy));

  EXPECT_EQ(toy.root, (folder / "sets/x").string());
  std::filesystem::remove_all(folder);
}

TEST(ConfigTest, AChoiceIsAnEnumWithNames) {
  Toy toy;
  auto text = ConfigText::from_string("[train]\nstar = \"restrict\"", "x.toml");
  text.set("train.mode=drop");

  text.apply(fields(toy));

  EXPECT_EQ(toy.star, Toy::Star::kRestrict);
  EXPECT_EQ(toy.mode, Toy::Star::kDrop);
  EXPECT_NE(to_toml(fields(toy)).find("star = \"restrict\"\nmode = \"drop\""), std::string::npos);
  ConfigText::from_string("[train]\nmode = \"auto\"", "x.toml").apply(fields(toy));
  EXPECT_FALSE(toy.mode);
  EXPECT_STREQ(name_of(Toy::Star::kRestrict, kStars), "restrict");
  EXPECT_EQ(message_for_set("train.star=dropp"),
            "--set: train.star = \"dropp\": must be one of drop, restrict; did you mean 'drop'?");
}

TEST(ConfigTest, AListOfChoicesKeepsItsOrderAndNamesAWrongOne) {
  Toy toy;
  EXPECT_NE(to_toml(fields(toy)).find("stars = [\"restrict\", \"drop\"]"), std::string::npos);

  ConfigText::from_string("[train]\nstars = [\"drop\"]", "x.toml").apply(fields(toy));
  EXPECT_EQ(toy.stars, std::vector{Toy::Star::kDrop});
  ConfigText text;
  text.set("train.stars=restrict,restrict");
  text.apply(fields(toy));
  EXPECT_EQ(toy.stars, (std::vector{Toy::Star::kRestrict, Toy::Star::kRestrict}));

  EXPECT_EQ(
      message_for_set("train.stars=[\"dropp\"]"),
      "--set: train.stars = [\"dropp\"]: must be one of drop, restrict; did you mean 'drop'?");
}

TEST(ConfigTest, AFormerNameIsAnErrorThatNamesTheNewOne) {
  EXPECT_EQ(message_for("[train]\nold_star = \"drop\""),
            "x.toml: key 'train.old_star' is called 'train.star' now");
  EXPECT_EQ(message_for_set("train.star=leave"),
            "--set: train.star = \"leave\": is called \"restrict\" now");
}

TEST(ConfigTest, RecordsOfEarlierVersionsGetThePresentNames) {
  Toy toy;
  std::map<std::string, std::string> config = {{"train.old_star", "\"leave\""},
                                               {"train.lr", "0.1"}};

  rename_former(config, fields(toy));

  EXPECT_EQ(config, (std::map<std::string, std::string>{{"train.lr", "0.1"},
                                                        {"train.star", "\"restrict\""}}));
  EXPECT_EQ(rename_former("lwf, old_star=leave", fields(toy)), "lwf, star=restrict");
}

TEST(ConfigTest, TheShortHelpShowsCommonKeysOnly) {
  Toy toy;

  const auto text = describe(fields(toy), HelpDetail::kCommon);

  EXPECT_NE(text.find("mode = \"auto\""), std::string::npos);
  EXPECT_NE(text.find("auto | drop | restrict"), std::string::npos);
  EXPECT_EQ(text.find("epochs"), std::string::npos);
}

TEST(ConfigTest, TheHelpNamesEveryKeyWithDefaultRangeAndChoices) {
  Toy toy;

  const auto help = describe(fields(toy));

  for (const auto& field : fields(toy)) {
    EXPECT_NE(help.find(field.help), std::string::npos) << field.key;
  }
  EXPECT_NE(help.find("momentum = 0.9"), std::string::npos);
  EXPECT_NE(help.find("[0, 1)"), std::string::npos);
  EXPECT_NE(help.find("cosine | poly"), std::string::npos);
}

TEST(ConfigTest, AChangedKeyWithoutEffectIsNamedWithTheSettingThatItNeeds) {
  struct Options {
    std::string schedule = "cosine";
    double gamma = 0.2;
    int64_t epochs = 4;
  };
  Options options;
  const Fields fields = {
      {"train.schedule", &options.schedule, "schedule"},
      only_with("train.schedule = \"step\"", [&] { return options.schedule == "step"; },
                {"train.gamma", &options.gamma, "factor"}),
      {"train.epochs", &options.epochs, "epochs"},
  };
  Options defaults;
  const Fields default_fields = {{"train.schedule", &defaults.schedule, ""},
                                 {"train.gamma", &defaults.gamma, ""},
                                 {"train.epochs", &defaults.epochs, ""}};
  EXPECT_TRUE(changed_keys(fields, default_fields).empty());

  options.gamma = 0.5;
  options.epochs = 5;
  const auto changed = changed_keys(fields, default_fields);

  EXPECT_EQ(changed, (std::vector<std::string>{"train.gamma", "train.epochs"}));
  EXPECT_EQ(ineffective(fields, changed),
            std::vector<std::string>{
                "train.gamma = 0.5 has no effect: it needs train.schedule = \"step\""});
  options.schedule = "step";
  EXPECT_TRUE(ineffective(fields, changed).empty());
  options.schedule = "cosine";
  EXPECT_TRUE(ineffective(fields, {"train.epochs"}).empty());
}

}  // namespace
}  // namespace lethe
