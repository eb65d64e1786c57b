#!/usr/bin/env python3
"""Runs clang-tidy on the given files, several at a time: scripts/tidy.py [--jobs N] FILE.cpp...

It needs a built build/release: compile_commands.json contains the compile command of each file, and some sources
include generated files. clang cannot read gcc's precompiled header, so clang-tidy gets the commands without it. A file
that relies on the precompiled header for an include is therefore reported as an error. Files that include LibTorch's
frontend get a precompiled header of LibTorch alone, made by the clang of clang-tidy's version. This halves their time.

The newest clang rejects some comparisons of a std::string with JSON that gcc 12 and clang 14 accept. A file that it
cannot compile is checked with the system's default clang-tidy instead, with the same checks.

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
DEFAULT_TOOL = "clang-tidy"
TOOL = next((name for name in ("clang-tidy-22", DEFAULT_TOOL) if shutil.which(name)), DEFAULT_TOOL)
CLANG = TOOL.replace("clang-tidy", "clang++")
TORCH = "lethe/model/torch.h"
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


def includes_torch(name):
    """Whether the file includes LibTorch's C++ frontend, directly or through our own files."""
    return any("#include <torch/" in (ROOT / one).read_text(encoding="utf-8") for one in own_files(name))


def fingerprint(name, arguments, version):
    digest = hashlib.sha256(json.dumps([arguments, version]).replace(str(ROOT), ".").encode())
    for path in [".clang-tidy", os.path.relpath(VECTOR, ROOT), *own_files(name)]:
        digest.update(path.encode() + b"\0" + (ROOT / path).read_bytes())
    return digest.hexdigest()


def make_torch_header(arguments):
    """Precompiles clang_vector.h and LibTorch with the arguments of one file. None if clang cannot do it."""
    words = iter(arguments[1:])
    flags = []
    for word in words:
        if word == "-o":
            next(words)
        elif word != "-c" and not word.endswith(".cpp"):
            flags.append(word)
    header = LINT / "torch.h"
    header.write_text(f'#include "{VECTOR}"\n#include "{ROOT / TORCH}"\n', encoding="utf-8")
    made = header.with_suffix(".pch")
    command = [CLANG, "-x", "c++-header", *flags, "-w", str(header), "-o", str(made)]
    if not shutil.which(CLANG) or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        return None
    return made


def tidy(name, torch_header):
    """The findings in a file, or an empty string."""
    findings = findings_of(TOOL, name, torch_header)
    if "[clang-diagnostic-error]" in findings and TOOL != DEFAULT_TOOL and shutil.which(DEFAULT_TOOL):
        print(f"{name}: {TOOL} cannot compile it; {DEFAULT_TOOL} checks it instead", flush=True)
        findings = findings_of(DEFAULT_TOOL, name, None)
    return findings


def findings_of(tool, name, torch_header):
    first = ["-include", str(VECTOR)] if torch_header is None else ["-include-pch", str(torch_header)]
    result = subprocess.run(
        [tool, "-p", str(LINT), "--quiet", "--warnings-as-errors=*", *(f"--extra-arg-before={word}" for word in first),
         "--extra-arg=-Wno-unknown-warning-option", name],
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

    with_torch = {name for name in due if includes_torch(name)}
    torch_header = make_torch_header(arguments[min(with_torch)]) if with_torch else None

    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(tidy, name, torch_header if name in with_torch else None): name
                   for name in due}
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
