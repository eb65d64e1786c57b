// MATLAB files (.mat), as far as lists of images need them; by matio.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lethe {

// Throw DataError, naming file and variable, if something is not there or of another kind.

// The texts of a cell array.
std::vector<std::string> read_mat_cells(const std::filesystem::path& path,
                                        const std::string& variable);

// One field of every element of a struct array: texts, or whole numbers.
std::vector<std::string> read_mat_texts(const std::filesystem::path& path,
                                        const std::string& variable, const std::string& field);
std::vector<int64_t> read_mat_numbers(const std::filesystem::path& path,
                                      const std::string& variable, const std::string& field);

}  // namespace lethe
