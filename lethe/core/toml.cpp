#include "lethe/core/toml.h"

#include <toml++/toml.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lethe/core/error.h"

namespace lethe {

using nlohmann::json;

namespace {

json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    json object = json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = to_json(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    json list = json::array();
    for (const auto& value : *array) list.push_back(to_json(value));
    return list;
  }
  if (const auto value = node.value_exact<bool>()) return *value;
  if (const auto value = node.value_exact<int64_t>()) return *value;
  if (const auto value = node.value_exact<double>()) return *value;
  if (const auto value = node.value_exact<std::string>()) return *value;
  throw ConfigError("dates and times are not used here");
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw_error<ConfigError>("{}: cannot be opened", path.string());
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

json parse_toml(std::string_view text, const std::string& origin) {
  try {
    return to_json(toml::parse(text));
  } catch (const toml::parse_error& error) {
    throw_error<ConfigError>("{}:{}: {}", origin, error.source().begin.line, error.description());
  } catch (const ConfigError& error) {
    throw_error<ConfigError>("{}: {}", origin, error.what());
  }
}

json read_toml(const std::filesystem::path& path) {
  return parse_toml(text_of(path), path.string());
}

}  // namespace lethe
