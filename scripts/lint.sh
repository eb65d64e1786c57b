#!/usr/bin/env bash
# Runs clang-tidy and cppcheck on lethe/, tools/ and apps/, or on the given files: scripts/lint.sh [FILE.cpp]...
#
# It needs a built build/release: compile_commands.json contains the compile command of each file, and some sources
# include generated files. clang cannot read gcc's precompiled header, so clang-tidy gets a copy of the commands without
# it. A file that relies on the precompiled header for an include is therefore reported as an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

commands=build/release/compile_commands.json
jobs=${JOBS:-$(nproc)}
if [[ ! -f "$commands" ]]; then
  echo "lint.sh: $commands is missing; run 'make build' first" >&2
  exit 1
fi

mkdir -p build/lint/cppcheck
python3 - "$commands" build/lint/compile_commands.json <<'PYTHON'
import json
import os
import re
import shlex
import sys

COMPILER = re.compile(r"(c\+\+|g\+\+|clang\+\+)(-[0-9]+)?$")
source, target = sys.argv[1:]
entries = []
with open(source, encoding="utf-8") as file:
    for entry in json.load(file):
        words = iter(shlex.split(entry["command"]))
        arguments = []
        for word in words:
            if not arguments and not COMPILER.search(os.path.basename(word)):
                continue  # a launcher such as ccache
            if word in ("-fpch-preprocess", "-Winvalid-pch"):
                continue
            if word == "-include":
                header = next(words)
                if not header.endswith("cmake_pch.hxx"):
                    arguments += [word, header]
                continue
            arguments.append(word)
        entries.append({"directory": entry["directory"], "file": entry["file"], "arguments": arguments})
with open(target, "w", encoding="utf-8") as file:
    json.dump(entries, file, indent=1)
PYTHON

files=("$@")
if ((${#files[@]} == 0)); then
  mapfile -t files < <(find lethe tools apps -name '*.cpp' | sort)
fi

status=0
echo "cppcheck: ${#files[@]} files"
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

echo "clang-tidy: ${#files[@]} files"
# clang-tidy counts the warnings of system headers on stderr; filter out those lines.
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$jobs" -n 1 clang-tidy -p build/lint --quiet --warnings-as-errors='*' \
    --extra-arg-before=-include --extra-arg-before="$PWD/cmake/clang_vector.h" \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' >&2) || status=1

if ((status == 0)); then
  echo "lint: no problems found"
else
  echo "lint: see above" >&2
fi
exit "$status"
