#!/usr/bin/env python3
"""Runs clang-tidy on the given files, several at a time: scripts/tidy.py [--jobs N] FILE.cpp...

It needs a built build/release: compile_commands.json contains the compile command of each file, and some sources
include generated files. clang cannot read gcc's precompiled header, so clang-tidy gets the commands without it. A file
that relies on the precompiled header for an include is therefore reported as an error.

A file without findings is not checked again until it changes, or one of our headers that it includes, its compile
command, .clang-tidy or clang-tidy itself. ~/.cache/lethe/tidy (below XDG_CACHE_HOME, if set) has an empty file for each
such state, named by its fingerprint. All clones share this folder; it can be deleted at any time.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINT = ROOT / "build/lint"
COMPILER = re.compile(r"(c\+\+|g\+\+|clang\+\+)(-[0-9]+)?$")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
COUNT = re.compile(r"^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$")
VECTOR = ROOT / "cmake/clang_vector.h"
TOOL = next((name for name in ("clang-tidy-22", "clang-tidy") if shutil.which(name)), "clang-tidy")
STAMPS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lethe/tidy"


def without_precompiled_header(command):
    arguments = []
    words = iter(shlex.split(command))
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
    return arguments


def write_commands():
    """Writes build/lint/compile_commands.json. Returns the arguments by file, relative to the root."""
    with open(ROOT / "build/release/compile_commands.json", encoding="utf-8") as file:
        entries = [{"directory": entry["directory"], "file": entry["file"],
                    "arguments": without_precompiled_header(entry["command"])} for entry in json.load(file)]
    LINT.mkdir(parents=True, exist_ok=True)
    with open(LINT / "compile_commands.json", "w", encoding="utf-8") as file:
        json.dump(entries, file, indent=1)
    return {os.path.relpath(entry["file"], ROOT): entry["arguments"] for entry in entries}


def own_files(name):
    """The file and all of our own files that it includes, directly or not, relative to the root."""
    found, open_files = set(), [name]
    while open_files:
        one = open_files.pop()
        if one in found or not (ROOT / one).is_file():
            continue
        found.add(one)
        open_files += INCLUDE.findall((ROOT / one).read_text(encoding="utf-8"))
    return sorted(found)


def fingerprint(name, arguments, version):
    digest = hashlib.sha256(json.dumps([arguments, version]).replace(str(ROOT), ".").encode())
    for path in [".clang-tidy", os.path.relpath(VECTOR, ROOT), *own_files(name)]:
        digest.update(path.encode() + b"\0" + (ROOT / path).read_bytes())
    return digest.hexdigest()


def tidy(name):
    """The findings in a file, or an empty string."""
    result = subprocess.run(
        [TOOL, "-p", str(LINT), "--quiet", "--warnings-as-errors=*", "--extra-arg-before=-include",
         f"--extra-arg-before={VECTOR}", "--extra-arg=-Wno-unknown-warning-option", name],
        cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return ""
    # The number of warnings in system headers says nothing.
    lines = [line for line in (result.stdout + result.stderr).splitlines() if not COUNT.match(line)]
    return "\n".join(lines) or f"{name}: clang-tidy ended with status {result.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files checked at the same time [all cores]")
    parser.add_argument("files", nargs="+", metavar="FILE.cpp")
    options = parser.parse_args()

    version = subprocess.run([TOOL, "--version"], capture_output=True, text=True, check=True).stdout
    arguments = write_commands()
    stamps, due = {}, []
    for name in options.files:
        name = os.path.relpath(name, ROOT)
        if name not in arguments:
            print(f"tidy.py: {name} is not compiled in build/release", file=sys.stderr)
            return 1
        stamps[name] = STAMPS / fingerprint(name, arguments[name], version)
        if not stamps[name].is_file():
            due.append(name)
    print(f"clang-tidy: {len(options.files)} files, {len(options.files) - len(due)} of them unchanged", flush=True)

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(tidy, name): name for name in due}
        for number, done in enumerate(concurrent.futures.as_completed(running), start=1):
            name = running[done]
            findings = done.result()
            print(f"[{number}/{len(due)}] {name}", flush=True)
            if findings:
                bad += 1
                print(findings, flush=True)
                continue
            STAMPS.mkdir(parents=True, exist_ok=True)
            stamps[name].touch()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
