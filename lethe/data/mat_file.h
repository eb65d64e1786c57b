// Reads the parts of MATLAB files (.mat) that lists of images need, with matio.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

// All functions throw DataError, naming file and variable, if the variable is missing or of another
// kind.

// The strings of a cell array.
std::vector<std::string> read_mat_cells(const std::filesystem::path& path,
                                        const std::string& variable);

// One field of every element of a struct array: strings, or integers.
std::vector<std::string> read_mat_texts(const std::filesystem::path& path,
                                        const std::string& variable, const std::string& field);
std::vector<int64_t> read_mat_numbers(const std::filesystem::path& path,
                                      const std::string& variable, const std::string& field);

}  // namespace lethe
