#!/usr/bin/env bash
# Runs clang-tidy and cppcheck on lethe/, tools/ and apps/, or on the given files: scripts/lint.sh [FILE.cpp]...
# It needs a built build/release (scripts/tidy.py).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=${JOBS:-$(nproc)}
if [[ ! -f build/release/compile_commands.json ]]; then
  echo "lint.sh: build/release/compile_commands.json is missing; run 'make build' first" >&2
  exit 1
fi

files=("$@")
if ((${#files[@]} == 0)); then
  mapfile -t files < <(find lethe tools apps -name '*.cpp' | sort)
fi

status=0
echo "cppcheck: ${#files[@]} files"
mkdir -p build/lint/cppcheck
# System headers are not followed (missingIncludeSystem), so cppcheck does not know the macros of LibTorch.
# --cppcheck-build-dir caches the results of unchanged files.
# useInitializationList: members of LibTorch modules are assigned in the constructor's body (register_module).
# The checks of redundant conditions do not know that throw_error() does not return.
cppcheck --quiet -j "$jobs" --std=c++20 --language=c++ --library=googletest --inline-suppr \
  --enable=warning,performance,portability --error-exitcode=1 \
  --suppress=missingInclude --suppress=missingIncludeSystem --suppress=unknownMacro \
  --suppress=useInitializationList --suppress=nullPointerRedundantCheck --suppress=derefInvalidIteratorRedundantCheck \
  --suppress=zerodivcond \
  --cppcheck-build-dir=build/lint/cppcheck -I . "${files[@]}" || status=1

scripts/tidy.py --jobs "$jobs" "${files[@]}" || status=1

if ((status == 0)); then
  echo "lint: no problems found"
else
  echo "lint: see above" >&2
fi
exit "$status"
