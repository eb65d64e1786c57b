// TOML files other than a run's configuration. They are parsed to JSON, and their tables are read
// into fields.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "lethe/core/config.h"

namespace lethe {

// origin: the name of the text in messages. Throws ConfigError with origin and line if it is not
// TOML.
nlohmann::json parse_toml(std::string_view text, const std::string& origin);

// Throws ConfigError if the file cannot be opened or is not TOML.
nlohmann::json read_toml(const std::filesystem::path& path);

// Writes every entry of a table into the field of that name. Values that are tables themselves need
// a CustomTarget. Relative paths are relative to base. Throws a ConfigError that names origin and
// key and, for an unknown key, suggests the closest known one.
void apply_table(const nlohmann::json& table, const std::string& origin,
                 const std::filesystem::path& base, const Fields& fields);

// The same for one assignment, "train.lr=0.05". Returns its field.
const Field& apply_assignment(std::string_view assignment, const std::string& origin,
                              const std::filesystem::path& base, const Fields& fields);

}  // namespace lethe
