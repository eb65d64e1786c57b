#include "lethe/record/sealed_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lethe/core/files.h"
#include "lethe/core/sha256.h"
#include "lethe/record/run_files.h"

namespace lethe {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

// The first lines of a text; shorter if it has fewer.
std::string_view first_lines(std::string_view text, int64_t lines) {
  size_t end = 0;
  for (int64_t i = 0; i < lines; ++i) {
    const auto next = text.find('\n', end);
    if (next == std::string_view::npos) return text;
    end = next + 1;
  }
  return text.substr(0, end);
}

}  // namespace

std::vector<std::string> sealed_files() {
  return {kMatrixFile, kPerClassFile, kConfusionFile, kFeaturesFile, kPredictionsFile};
}

ordered_json file_hashes(const fs::path& run, const std::vector<std::string>& files) {
  ordered_json hashes = ordered_json::object();
  for (const auto& file : files) {
    if (fs::exists(run / file)) hashes[file] = sha256_of_file(run / file);
  }
  return hashes;
}

ordered_json seal_of_lines(const fs::path& file) {
  const auto text = read_text(file);
  return {{"lines", std::count(text.begin(), text.end(), '\n')}, {"sha256", sha256(text)}};
}

bool fits_seal(const fs::path& file, const ordered_json& seal) {
  const auto text = read_text(file);
  return sha256(first_lines(text, seal.at("lines"))) == seal.at("sha256").get<std::string>();
}

bool has_more_lines(const fs::path& file, const ordered_json& seal) {
  const auto text = read_text(file);
  return first_lines(text, seal.at("lines")).size() < text.size();
}

}  // namespace lethe
