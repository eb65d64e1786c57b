// environment.json: versions, CPU and threads of a run, which are needed to reproduce its results.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace lethe {

nlohmann::ordered_json environment(int threads);

// The contents of environment.json in a run directory; empty if the file is missing or invalid.
nlohmann::ordered_json environment_of(const std::filesystem::path& run);

// Logs one line at program start, and a warning if matrix products will be slow.
void log_environment(int threads);

}  // namespace lethe
