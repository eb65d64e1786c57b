#!/usr/bin/env python3
"""Compares the #include lines of the sources with the table of allowed dependencies.

A folder may include only the folders that ALLOWED grants it, and no chain of includes may lead from a file back to
itself.

    scripts/check_layers.py [--root FOLDER]     exit status 0: no violation, 1: violations, one per line
    scripts/check_layers.py --self-test         builds small trees with known violations and shows that they are found
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

# Folder below lethe/: the other folders below lethe/ that it may include. Its own is always allowed.
ALLOWED = {
    "core": set(),
    "data": {"core"},
    "model": {"core"},
    "features": {"core", "model"},
    "losses": {"core", "features"},
    "stream": {"core", "data"},
    "metrics": {"core", "data", "model", "features", "stream"},
    "method": {"core", "data", "model", "features", "losses", "stream"},
    "trainer": {"core", "data", "model", "features", "losses", "stream", "metrics", "method"},
    "record": {"core", "data", "stream", "metrics", "trainer"},
    "report": {"core", "data", "stream", "metrics", "record"},
    "run": {"core", "data", "model", "features", "losses", "stream", "metrics", "method", "trainer", "record", "report"},
}

# Folders outside lethe/: the others outside lethe/ that they may include. They may include everything in lethe/.
OUTSIDE = {"tools": set(), "apps": {"tools"}, "tests": {"tools"}}

# Built by the sanitizers with ATen's headers alone: torch.h would cost them minutes.
WITHOUT_TORCH = {"core", "data", "features", "losses", "stream"}

CHEAP_TORCH = {"torch/version.h"}  # a few macros, nothing behind them

# Libraries that only one folder below lethe/ may see.
ONLY_IN = {"toml++": "core", "opencv2": "data", "matio.h": "data", "png.h": "data"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = (".h", ".cpp")


def layer_of(name):
    """'core' for lethe/core/error.h, 'apps' for apps/lethe/main.cpp, None for what the table does not know."""
    parts = name.split("/")
    if parts[0] in OUTSIDE and len(parts) > 1:
        return parts[0]
    if parts[0] == "lethe" and len(parts) > 2 and parts[1] in ALLOWED:
        return parts[1]
    return None


class Checker:
    def __init__(self, root):
        self.root = root
        self.includes = {}  # file name: its include lines, read once

    def files(self):
        """All sources, named from the root."""
        for top in ["lethe", *sorted(OUTSIDE)]:
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    yield path.relative_to(self.root).as_posix()

    def includes_of(self, name):
        """(line number, quoted?, included path) of every #include line."""
        if name not in self.includes:
            lines = (self.root / name).read_text(encoding="utf-8").splitlines()
            matches = ((number, INCLUDE.match(line)) for number, line in enumerate(lines, start=1))
            self.includes[name] = [(number, m.group(1) == '"', m.group(2)) for number, m in matches if m]
        return self.includes[name]

    def violations(self):
        """(number of files, lines of the form file:line: message)."""
        count, found = 0, []
        for name in self.files():
            count += 1
            if layer_of(name) is None:
                known = ", ".join(ALLOWED)
                found.append(f"{name}:1: this folder is not in the table of layers; known below lethe/: {known}")
                continue
            for line, quoted, included in self.includes_of(name):
                message = self.judge(name, quoted, included)
                if message:
                    found.append(f"{name}:{line}: {message}")
        return count, found + self.cycles()

    def judge(self, name, quoted, included):
        """What is wrong with this include in the file `name`, or None."""
        layer = layer_of(name)
        top = included.split("/")[0]

        if top in ONLY_IN and layer in ALLOWED and layer != ONLY_IN[top]:
            return f"<{included}>: only lethe/{ONLY_IN[top]} may include {top}"
        if layer in WITHOUT_TORCH:
            path = self.torch_path(included)
            if path:
                way = "" if len(path) == 1 else f" ({' -> '.join(path)})"
                return f"{included}: {layer} is built by the sanitizers, so without torch headers; ATen has the types{way}"
        if top == "lethe" or top in OUTSIDE:
            return self.judge_own(name, layer, included)
        if quoted and included.endswith(SUFFIXES):
            return f'"{included}": spell it from the root, e.g. "lethe/core/error.h"'
        return None

    def judge_own(self, name, layer, included):
        target = layer_of(included)
        if target is None:
            return f"{included}: not in the table of layers"
        if target == layer:
            return None
        if target == "tests" and name.endswith("_test.cpp"):
            return None  # fakes and fixtures, shared by tests
        if layer in OUTSIDE:
            return None if target in ALLOWED or target in OUTSIDE[layer] else f"{included}: {layer} may not include {target}"
        if target in ALLOWED[layer]:
            return None
        granted = ", ".join(sorted(ALLOWED[layer])) or "nothing else"
        return f"{included}: {layer} may not include {target}; it may include {granted}"

    def cycles(self):
        """Lines of the form file:line: message, one for every cycle of includes between files."""
        found, done = [], set()

        def visit(name, chain):
            if name in done:
                return
            for line, quoted, included in self.includes_of(name):
                if not quoted or not (self.root / included).is_file():
                    continue
                if included in (*chain, name):
                    cycle = [*chain, name, included]
                    found.append(f"{name}:{line}: cycle: {' -> '.join(cycle[cycle.index(included):])}")
                else:
                    visit(included, (*chain, name))
            done.add(name)

        for name in self.files():
            visit(name, ())
        return found

    def torch_path(self, included, seen=frozenset()):
        """The chain of includes from `included` to a header of torch/, or None. Own headers are followed."""
        if included.startswith("torch/") and included not in CHEAP_TORCH:
            return [f"<{included}>"]
        if included in seen or layer_of(included) is None or not (self.root / included).is_file():
            return None
        for _, _, inner in self.includes_of(included):
            path = self.torch_path(inner, seen | {included})
            if path:
                return [included, *path]
        return None


def self_test():
    """Each file with the lines that must be reported, and a word that the message must contain."""
    tree = {
        "lethe/core/error.h": ("#include <string>\n#include <torch/version.h>\n", {}),
        "lethe/core/config.cpp": ('#include "lethe/core/error.h"\n#include <toml++/toml.h>\n', {}),
        "lethe/core/up.h": ('#pragma once\n#include "lethe/data/loader.h"\n', {2: "core may not include data"}),
        "lethe/data/loader.h": ('#include "lethe/core/error.h"\n#include <ATen/core/Tensor.h>\n', {}),
        "lethe/data/plan.cpp": ("#include <toml++/toml.h>\n", {1: "only lethe/core"}),
        "lethe/model/network.h": ('  #  include <torch/nn.h>\n#include "lethe/core/error.h"\n', {}),
        "lethe/features/bank.h": ('#include "lethe/model/network.h"\n', {1: "network.h -> <torch/nn.h>"}),
        "lethe/losses/margin.cpp": ("#include <torch/torch.h>\n", {1: "so without torch headers"}),
        "lethe/losses/margin_test.cpp": ('#include <gtest/gtest.h>\n#include "tests/near.h"\n#include <torch/torch.h>\n'
                                         '#include "lethe/method/lwf.h"\n',
                                         {3: "so without torch headers", 4: "losses may not include method"}),
        "lethe/method/lwf.h": ('#include "lethe/losses/margin.h"\n#include "lethe/trainer/trainer.h"\n',
                               {2: "method may not include trainer"}),
        "lethe/model/a.h": ('#include "lethe/model/b.h"\n', {}),
        "lethe/model/b.h": ('\n#include "lethe/model/a.h"\n', {2: "cycle: lethe/model/a.h -> lethe/model/b.h -> lethe"}),
        "lethe/stream/plan.h": ('#include "lethe/data/loader.h"\n#include "lethe/model/network.h"\n',
                                {2: "so without torch headers"}),
        "lethe/method/near.h": ('#include "tests/near.h"\n', {1: "method may not include tests"}),
        "lethe/trainer/trainer.h": ('#include "lethe/metrics/scores.h"\n#include "lethe/record/recorder.h"\n',
                                    {2: "trainer may not include record"}),
        "lethe/metrics/scores.h": ('#include "lethe/method/codes/book.h"\n', {1: "metrics may not include method"}),
        "lethe/method/codes/book.h": ('#include "lethe/method/method.h"\n', {}),
        "lethe/method/method.h": ("", {}),
        "lethe/record/recorder.h": ("", {}),
        "lethe/report/table.cpp": ('#include "lethe/record/recorder.h"\n#include "lethe/data/loader.h"\n'
                                   '#include "table.h"\n// #include "lethe/run/run.h"\n', {3: "from the root"}),
        "lethe/run/run.cpp": ('#include "lethe/report/table.h"\n#include "presets.inc"\n#include "lethe/extra/x.h"\n',
                              {3: "not in the table"}),
        "lethe/extra/x.h": ("", {1: "not in the table"}),
        "lethe/lethe.h": ("", {1: "not in the table"}),
        "apps/lethe/main.cpp": ('#include "lethe/run/run.h"\n#include "apps/lethe/commands.h"\n', {}),
        "lethe/method/decode.cpp": ("#include <opencv2/imgcodecs.hpp>\n#include <matio.h>\n",
                                    {1: "only lethe/data", 2: "only lethe/data"}),
        "tests/near.h": ("#include <ATen/ATen.h>\n", {}),
        "tools/bench/loader.cpp": ('#include "lethe/data/loader.h"\n#include "tests/near.h"\n',
                                   {2: "tools may not include tests"}),
        "tools/bench/loader_test.cpp": ('#include "tests/near.h"\n#include "apps/lethe/commands.h"\n',
                                        {2: "tools may not include apps"}),
    }
    expected = {f"{name}:{line}": word for name, (_, lines) in tree.items() for line, word in lines.items()}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, (text, _) in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        _, found = Checker(root).violations()

    places = {":".join(line.split(":")[:2]): line for line in found}
    wrong = [f"not found: {place}: ... {word}" for place, word in expected.items() if word not in places.get(place, "")]
    wrong += [f"found without reason: {line}" for place, line in places.items() if place not in expected]
    for line in wrong:
        print(f"check_layers.py --self-test: {line}")
    if not wrong:
        print(f"layers: self-test found all {len(expected)} planted violations and no other")
    return 1 if wrong else 0


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=root, help="the tree to check [default: this repository]")
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()

    count, found = Checker(arguments.root).violations()
    if count == 0:
        print(f"check_layers.py: {arguments.root}: no source file found", file=sys.stderr)
        return 1
    for line in found:
        print(line)
    if found:
        print(f"layers: violations: {len(found)}", file=sys.stderr)
        return 1
    print(f"layers: {count} files, every include within the table, no cycle")
    return 0


if __name__ == "__main__":
    sys.exit(main())
