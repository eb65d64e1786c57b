#!/usr/bin/env python3
"""Checks the #include lines of all sources against the table of allowed dependencies.

A folder may include only the folders that ALLOWED lists for it. Includes must not form a cycle: neither between files,
nor between modules, where a module is a header together with the .cpp file of the same name.

    scripts/check_layers.py [--root FOLDER]     exit status 0: no violations, 1: violations, one per line
    scripts/check_layers.py --self-test         checks that all known violations in a small tree are found
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

# Folders of lethe/: the other folders of lethe/ that each may include. A folder may always include itself.
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
    "audit": {"core", "data", "model", "features", "losses", "stream", "metrics", "method", "trainer", "record", "report",
              "run"},
}

# Folders outside lethe/: the other folders outside lethe/ that each may include. All of lethe/ is allowed.
OUTSIDE = {"tools": set(), "apps": {"tools"}, "tests": {"tools"}}

# Built with the sanitizers, with ATen headers only: torch.h would take minutes.
WITHOUT_TORCH = {"core", "data", "features", "losses", "stream"}

CHEAP_TORCH = {"torch/version.h"}  # only a few macros

# Libraries that only one folder of lethe/ may include.
ONLY_IN = {"toml++": "core", "opencv2": "data", "matio.h": "data", "png.h": "data"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SUFFIXES = (".h", ".cpp")


def layer_of(name):
    """'core' for lethe/core/error.h, 'apps' for apps/lethe/main.cpp, None for files that are not in the table."""
    parts = name.split("/")
    if parts[0] in OUTSIDE and len(parts) > 1:
        return parts[0]
    if parts[0] == "lethe" and len(parts) > 2 and parts[1] in ALLOWED:
        return parts[1]
    return None


def module_of(name):
    """'lethe/core/config' for lethe/core/config.h and lethe/core/config.cpp."""
    return name.rsplit(".", 1)[0]


class Checker:
    def __init__(self, root):
        self.root = root
        self.includes = {}  # file name: its include lines, read once

    def files(self):
        """All sources, relative to the root."""
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
        """The number of files, and the violations as lines "file:line: message"."""
        count, found = 0, []
        for name in self.files():
            count += 1
            if layer_of(name) is None:
                known = ", ".join(ALLOWED)
                found.append(f"{name}:1: this folder is not in the table of layers; known in lethe/: {known}")
                continue
            for line, quoted, included in self.includes_of(name):
                message = self.judge(name, quoted, included)
                if message:
                    found.append(f"{name}:{line}: {message}")
        cycles = self.cycles(lambda name: name, "cycle") + self.cycles(module_of, "cycle of modules")
        return count, found + cycles

    def judge(self, name, quoted, included):
        """The problem with this include in the file `name`, or None."""
        layer = layer_of(name)
        top = included.split("/")[0]

        if top in ONLY_IN and layer in ALLOWED and layer != ONLY_IN[top]:
            return f"<{included}>: only lethe/{ONLY_IN[top]} may include {top}"
        if layer in WITHOUT_TORCH:
            path = self.torch_path(included)
            if path:
                way = "" if len(path) == 1 else f" ({' -> '.join(path)})"
                return f"{included}: {layer} is built with the sanitizers and must not use torch headers; use ATen{way}"
        if top == "lethe" or top in OUTSIDE:
            return self.judge_own(name, layer, included)
        if quoted and included.endswith(SUFFIXES):
            return f'"{included}": write the path from the root, e.g. "lethe/core/error.h"'
        return None

    def judge_own(self, name, layer, included):
        target = layer_of(included)
        if target is None:
            return f"{included}: not in the table of layers"
        if target == layer:
            return None
        if target == "tests" and name.endswith("_test.cpp"):
            return None  # shared fakes and fixtures for tests
        if layer in OUTSIDE:
            return None if target in ALLOWED or target in OUTSIDE[layer] else f"{included}: {layer} may not include {target}"
        if target in ALLOWED[layer]:
            return None
        granted = ", ".join(sorted(ALLOWED[layer])) or "nothing else"
        return f"{included}: {layer} may not include {target}; it may include {granted}"

    def cycles(self, node_of, kind):
        """One line "file:line: message" for every cycle of includes between files, or between modules (module_of)."""
        edges = {}  # node: {included node: where, as (file, line)}
        for name in self.files():
            for line, quoted, included in self.includes_of(name):
                within_module = node_of(included) == node_of(name) and included != name
                if quoted and not within_module and (self.root / included).is_file():
                    edges.setdefault(node_of(name), {}).setdefault(node_of(included), []).append((name, line))
        found, done = [], set()

        def is_of_headers(cycle):
            return all(any(name.endswith(".h") for name, _ in edges[a][b]) for a, b in zip(cycle, cycle[1:]))

        def visit(node, chain):
            if node in done:
                return
            for target, places in edges.get(node, {}).items():
                if target not in (*chain, node):
                    visit(target, (*chain, node))
                    continue
                cycle = [*chain, node, target]
                cycle = cycle[cycle.index(target):]
                if node_of is module_of and is_of_headers(cycle):
                    continue  # also a cycle between files
                name, line = places[0]
                found.append(f"{name}:{line}: {kind}: {' -> '.join(cycle)}")
            done.add(node)

        for node in sorted(edges):
            visit(node, ())
        return found

    def torch_path(self, included, seen=frozenset()):
        """The chain of includes from `included` to a header of torch/, or None. Follows our own headers."""
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
    """Checks a small tree. Each file has the lines to report, with a word that the message must contain."""
    tree = {
        "lethe/core/error.h": ("#include <string>\n#include <torch/version.h>\n", {}),
        "lethe/core/config.cpp": ('#include "lethe/core/error.h"\n#include <toml++/toml.h>\n', {}),
        "lethe/core/up.h": ('#pragma once\n#include "lethe/data/loader.h"\n', {2: "core may not include data"}),
        "lethe/data/loader.h": ('#include "lethe/core/error.h"\n#include <ATen/core/Tensor.h>\n', {}),
        "lethe/data/plan.cpp": ("#include <toml++/toml.h>\n", {1: "only lethe/core"}),
        "lethe/model/network.h": ('  #  include <torch/nn.h>\n#include "lethe/core/error.h"\n', {}),
        "lethe/features/bank.h": ('#include "lethe/model/network.h"\n', {1: "network.h -> <torch/nn.h>"}),
        "lethe/losses/margin.cpp": ("#include <torch/torch.h>\n", {1: "must not use torch headers"}),
        "lethe/losses/margin_test.cpp": ('#include <gtest/gtest.h>\n#include "tests/near.h"\n#include <torch/torch.h>\n'
                                         '#include "lethe/method/lwf.h"\n',
                                         {3: "must not use torch headers", 4: "losses may not include method"}),
        "lethe/method/lwf.h": ('#include "lethe/losses/margin.h"\n#include "lethe/trainer/trainer.h"\n',
                               {2: "method may not include trainer"}),
        "lethe/model/a.h": ('#include "lethe/model/b.h"\n', {}),
        "lethe/model/b.h": ('\n#include "lethe/model/a.h"\n', {2: "cycle: lethe/model/a.h -> lethe/model/b.h -> lethe"}),
        "lethe/model/c.h": ("", {}),
        "lethe/model/c.cpp": ('#include "lethe/model/c.h"\n#include "lethe/model/d.h"\n', {}),
        "lethe/model/d.h": ('#include "lethe/model/c.h"\n',
                            {1: "cycle of modules: lethe/model/c -> lethe/model/d -> lethe/model/c"}),
        "lethe/model/c_test.cpp": ('#include "lethe/model/d.h"\n', {}),
        "lethe/stream/plan.h": ('#include "lethe/data/loader.h"\n#include "lethe/model/network.h"\n',
                                {2: "must not use torch headers"}),
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
    wrong += [f"unexpected: {line}" for place, line in places.items() if place not in expected]
    for line in wrong:
        print(f"check_layers.py --self-test: {line}")
    if not wrong:
        print(f"layers: self-test found all {len(expected)} planted violations and no other")
    return 1 if wrong else 0


def main():
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=root, help="the tree to check [default: this repository]")
    parser.add_argument("--self-test", action="store_true", help="test this script on known violations")
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
    print(f"layers: {count} files, all includes allowed, no cycles")
    return 0


if __name__ == "__main__":
    sys.exit(main())
