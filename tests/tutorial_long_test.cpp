// Runs the commands of docs/tutorial-forgetting.md, in their order, with a folder of synthetic
// images.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "lethe/core/files.h"
#include "lethe/core/shell.h"
#include "lethe/data/image_file.h"
#include "lethe/data/load_data.h"
#include "tests/support/scratch.h"

namespace lethe::test {
namespace {

namespace fs = std::filesystem;

// Six classes of shapes, as files. Each class has its own tint, so that a small network learns it
// from few images in a few epochs.
void write_photos(const fs::path& folder) {
  DataOptions options;
  options.name = "shapes";
  options.train_per_class = 60;
  options.test_per_class = 40;
  const auto data = load_data(options);
  // The channels that are darkened.
  const std::vector<std::vector<int64_t>> tints = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}};
  const auto write = [&](const Dataset& images, const char* part) {
    for (int64_t i = 0; i < images.size(); ++i) {
      const auto label = static_cast<size_t>(images.labels_of(i).front());
      if (label >= tints.size()) continue;
      const auto image = images.get(i).image.clone();
      for (const int64_t channel : tints[label])
        image[channel].copy_(image[channel].floor_divide(3));
      const auto path = folder / part / images.info().class_names[label];
      fs::create_directories(path);
      write_png(path / (std::to_string(i) + ".png"), image);
    }
  };
  write(*data.train, "train");
  write(*data.test, "test");
}

// The contents of the code blocks of one language.
std::vector<std::string> blocks(const std::string& page, const std::string& language) {
  const std::string start = "```" + language + "\n";
  std::vector<std::string> found;
  for (size_t at = page.find(start); at != std::string::npos; at = page.find(start, at)) {
    at += start.size();
    const auto end = page.find("```", at);
    found.push_back(page.substr(at, end - at));
    at = end;
  }
  return found;
}

TEST(TutorialTest, EveryCommandOfTheTutorialWorksInItsOrder) {
  const auto page = read_text(fs::path(LETHE_SOURCE_DIR) / "docs" / "tutorial-forgetting.md");
  const Scratch scratch;
  write_photos(scratch.path() / "photos");
  const auto configs = blocks(page, "toml");
  ASSERT_EQ(configs.size(), 1u);
  write_atomically(scratch.path() / "photos.toml", configs.front());

  int commands = 0;
  for (const auto& block : blocks(page, "console")) {
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
      ASSERT_TRUE(line.starts_with("$ ")) << line;
      const auto output = scratch.path() / "output.txt";
      const auto command = "cd " + shell_quoted(scratch.path().string()) + " && PATH=" +
                           shell_quoted(fs::path(LETHE_BINARY).parent_path().string()) + ":$PATH " +
                           line.substr(2) + " >" + shell_quoted(output.string()) + " 2>&1";
      EXPECT_EQ(std::system(command.c_str()), 0) << line << '\n' << read_text(output);
      ++commands;
    }
  }
  EXPECT_EQ(commands, 10);
}

}  // namespace
}  // namespace lethe::test
