#include "lethe/run/identity.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "lethe/core/sha256.h"
#include "lethe/data/fingerprint.h"

namespace lethe {

namespace {

// Keys without effect on the result: logging, checkpoints, device, loader threads, verdicts.
constexpr std::array kWithoutEffect = {
    "train.log_steps",  "train.grad_steps",   "train.checkpoint_steps", "train.checkpoint_minutes",
    "train.device",     "data.threads",       "forget.margin",          "forget.learned",
    "forget.kept_fall", "forget.keep_before", "forget.pictures",        "forget.mean_fall",
    "run.keep_versions"};

bool has_effect(const std::string& key) {
  return std::find(kWithoutEffect.begin(), kWithoutEffect.end(), key) == kWithoutEffect.end();
}

}  // namespace

std::string RunIdentity::config_hash() const {
  std::string text;
  for (const auto& [key, value] : config) text += fmt::format("{} = {}\n", key, value);
  return sha256(text);
}

std::map<std::string, std::string> acting_values(RunConfig& config) {
  std::map<std::string, std::string> values;
  for (const auto& field : config.used_fields()) {
    if (!has_effect(field.key)) continue;
    auto value = value_text(field);
    if (field.is_path) {
      const auto& path = *std::get<std::string*>(field.target);
      value = std::filesystem::path(path).filename().string();
    }
    values[field.key] = value;
  }
  return values;
}

RunIdentity identity_of(RunConfig& config, const DataSplits& data) {
  RunIdentity identity;
  identity.config = acting_values(config);
  for (const auto& part : {data.train, data.val, data.test}) {
    if (part) identity.data += fingerprint(*part);
  }
  identity.data = sha256(identity.data);
  if (!config.model.pretrained.empty()) identity.weights = sha256_of_file(config.model.pretrained);
  return identity;
}

std::optional<std::string> difference(const RunIdentity& recorded, const RunIdentity& now) {
  for (const auto& [key, value] : recorded.config) {
    const auto found = now.config.find(key);
    if (found != now.config.end() && found->second != value)
      return fmt::format("{} was {}, now it is {}", key, value, found->second);
  }
  if (recorded.data != now.data) return "the data differ";
  if (recorded.weights != now.weights) return "the pretrained weights differ";
  return std::nullopt;
}

}  // namespace lethe
