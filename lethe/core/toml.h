// Reads TOML as JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lethe {

// origin: the name of the text in messages. Throws ConfigError with origin and line if it is not
// TOML.
nlohmann::json parse_toml(std::string_view text, const std::string& origin);

// Throws ConfigError if the file cannot be opened or is not TOML.
nlohmann::json read_toml(const std::filesystem::path& path);

}  // namespace lethe
