// The single list of the files in a run directory. `lethe list files` prints it.
#pragma once

#include <string>
#include <vector>

namespace lethe {

inline constexpr const char* kConfigFile = "config.toml";
inline constexpr const char* kEnvironmentFile = "environment.json";
inline constexpr const char* kMetricsFile = "metrics.jsonl";
inline constexpr const char* kLedgerFile = "ledger.jsonl";
inline constexpr const char* kPendingFile = "pending.json";
inline constexpr const char* kDataFolder = "data";
inline constexpr const char* kRetrainFolder = "retrain";
inline constexpr const char* kMatrixFile = "matrix.csv";
inline constexpr const char* kPerClassFile = "per_class.csv";
inline constexpr const char* kConfusionFile = "confusion.safetensors";
inline constexpr const char* kFeaturesFile = "features.json";
inline constexpr const char* kPredictionsFile = "predictions.png";

struct RunFile {
  std::string name;     // a file, or a folder that ends in '/'
  std::string content;  // one line
};

// Every file and folder that a run writes into its directory, including the lock.
const std::vector<RunFile>& run_files();

// Whether a name is in this list.
bool is_run_file(const std::string& name);

}  // namespace lethe
