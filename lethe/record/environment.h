// environment.json: with what a run was made. A result without that record is an anecdote.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace lethe {

nlohmann::ordered_json environment(int threads);

// That of a run directory; empty if it has none that can be read.
nlohmann::ordered_json environment_of(const std::filesystem::path& run);

// One line for the start of the program, and a warning if matrix products will be slow.
void log_environment(int threads);

}  // namespace lethe
