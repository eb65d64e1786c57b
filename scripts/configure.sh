#!/usr/bin/env bash
# Configures one preset of CMakePresets.json: scripts/configure.sh PRESET [argument of cmake]...
#
# It adds one thing to `cmake --preset`. CMake remembers the first LibTorch that it finds, so another CMAKE_PREFIX_PATH
# would silently have no effect on a configured folder. If the path has changed, this script deletes the cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:?usage: scripts/configure.sh PRESET [argument of cmake]...}
shift
folder=build/$preset
record=$folder/prefix_path.txt

# In the environment, CMake separates folders only by ':'; a list for -D uses ';'.
prefix=${CMAKE_PREFIX_PATH:-}
prefix=${prefix//;/:}
if [[ -n "$prefix" ]]; then
  export CMAKE_PREFIX_PATH=$prefix
fi

if [[ -f "$folder/CMakeCache.txt" && "$prefix" != "$(cat "$record" 2>/dev/null || true)" ]]; then
  echo "CMAKE_PREFIX_PATH has changed: configuring $folder from scratch"
  rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
fi
mkdir -p "$folder"
printf '%s\n' "$prefix" >"$record"
cmake --preset "$preset" "$@"
