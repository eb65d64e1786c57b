#!/usr/bin/env bash
# Configures one preset of CMakePresets.json: scripts/configure.sh PRESET [argument of cmake]...
#
# It adds one thing to `cmake --preset`: CMake remembers the LibTorch it found first, so that another CMAKE_PREFIX_PATH
# would silently have no effect on a folder that was configured before. A changed one therefore starts the cache afresh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:?usage: scripts/configure.sh PRESET [argument of cmake]...}
shift
folder=build/$preset
record=$folder/prefix_path.txt

# In the environment CMake parts folders by ':' only; a list written for -D has ';'.
prefix=${CMAKE_PREFIX_PATH:-}
prefix=${prefix//;/:}
if [[ -n "$prefix" ]]; then
  export CMAKE_PREFIX_PATH=$prefix
fi

if [[ -f "$folder/CMakeCache.txt" && "$prefix" != "$(cat "$record" 2>/dev/null || true)" ]]; then
  echo "CMAKE_PREFIX_PATH has changed: $folder is configured afresh"
  rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
fi
mkdir -p "$folder"
printf '%s\n' "$prefix" >"$record"
cmake --preset "$preset" "$@"
