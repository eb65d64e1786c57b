// The files of a run directory whose hashes are in the ledger, so that a change of them is noticed.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lethe {

// The files that the line of every event seals: tables and figures. config.toml and
// environment.json are sealed by the first line, metrics.jsonl by the number of its lines and their
// hash.
std::vector<std::string> sealed_files();

// The SHA-256 of every file that exists, by name.
nlohmann::ordered_json file_hashes(const std::filesystem::path& run,
                                   const std::vector<std::string>& files);

// The seal of a file of lines: {"lines": n, "sha256": ...}.
nlohmann::ordered_json seal_of_lines(const std::filesystem::path& file);
// Whether the first n lines still fit the seal.
bool fits_seal(const std::filesystem::path& file, const nlohmann::ordered_json& seal);
// Whether the file has lines after the sealed ones.
bool has_more_lines(const std::filesystem::path& file, const nlohmann::ordered_json& seal);

}  // namespace lethe
