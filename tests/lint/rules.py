# SPDX-License-Identifier: Apache-2.0
"""The rules of the source tree that a compiler does not check. Each takes a Tree and yields `file:line: message`."""

import os
import re
from pathlib import Path

import arrows

ROOMS = ("policy", "channel", "programs", "certs", "audit", "broker", "proxy", "sandbox-shim", "cli", "bench", "tests")
SOURCE = (".cpp", ".hpp", ".h", ".c")
TEXT = SOURCE + (".py", ".sh", ".cmake", ".md", ".yaml", ".yml", ".json", ".txt", ".conf", "")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TEST_ROOM = {"shim": "sandbox-shim"}

# Expression -> why not. In the product's sources; tests may do odd things on purpose.
BANNED = {
    r"\bshared_from_this\b": "a connection has one owner, its coroutine frame: no shared_from_this",
    r"\basio::detached\b": "asio::detached swallows exceptions: spawn with a completion handler",
    r"\bcatch\s*\(\s*\.\.\.\s*\)": "`catch (...)` belongs in a main: errors are values",
    r"\b(if|while|switch)\s*\(.*\bco_await\b": "a co_await stands alone: name its result, then test the name",
    r"co_await.*co_await": "one co_await in one statement",
    r"\bvolatile\b": "volatile is no synchronisation",
    r"#\s*define\s+\w+\(": "no function-like macros",
}
UNFINISHED = re.compile(r"\b(TO" + "DO|FIX" + r"ME)\b")
# Where somebody's checkout or tools lie; what a program finds on every machine is fine.
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:builds|checkout|workspace|work)/[\w.-]+/|/root/\.|/Users/")


class Tree:
    """A source tree: the files that are kept under version control, or all of them outside of git."""

    def __init__(self, root):
        self.root = Path(root)
        skip = {"build", ".git", "node_modules", "__pycache__", "fixture", "seeds", "vectors"}
        self.files = []
        for folder, names, files in os.walk(self.root):
            names[:] = sorted(n for n in names if n not in skip and not n.startswith("."))
            self.files += [str(Path(folder, f).relative_to(self.root)) for f in sorted(files)]

    def lines(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace").split("\n")

    def sources(self):
        return [f for f in self.files if f.endswith(SOURCE) and f.split("/")[0] in ROOMS]

    def product(self):
        return [f for f in self.sources() if f.split("/")[0] not in ("tests", "bench")]


def longest(table, name):
    folders = [f for f in table if name.startswith(f + "/")]
    return max(folders, key=len, default=None)


def includes(tree, name):
    for number, line in enumerate(tree.lines(name), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1] == "<", found[2]


def within(header, places):
    return any(header == place or header.startswith(place + "/") for place in places)


def check_arrows(tree):
    for name in tree.product():
        folder = longest(arrows.MAY_INCLUDE, name)
        allowed = list(arrows.MAIN_MAY_ALSO_INCLUDE.get(name, []))
        if folder:
            allowed += [folder, *arrows.MAY_INCLUDE[folder]]
        elif not allowed:
            yield f"{name}:1: this folder has no row in tests/lint/arrows.py"
            continue
        for number, system, header in includes(tree, name):
            if system or header.split("/")[0] not in ROOMS:
                continue
            if not within(header, allowed) or within(header, arrows.MUST_NOT_INCLUDE.get(folder, [])):
                yield f"{name}:{number}: {folder or name} must not include {header}"


def check_third_party(tree):
    for name in tree.product():
        for number, system, header in includes(tree, name):
            prefix = max((p for p in arrows.THIRD_PARTY if header.startswith(p)), key=len, default=None)
            if system and prefix and not any(re.fullmatch(e + ".*", name) for e in arrows.THIRD_PARTY[prefix]):
                owners = " or ".join(arrows.THIRD_PARTY[prefix])
                yield f"{name}:{number}: <{header}> may be included from {owners} only"


def check_local_includes(tree):
    for name in tree.sources():
        for number, system, header in includes(tree, name):
            if not system and not (tree.root / header).exists():
                yield f"{name}:{number}: \"{header}\" does not exist (paths start at the top folder)"


def check_sizes(tree):
    for name in tree.sources() + [f for f in tree.files if f.endswith(".py")]:
        lines = tree.lines(name)
        most = 150 if name.endswith(".hpp") and not name.startswith("tests/") else 500
        if len(lines) - 1 > most:
            yield f"{name}:{most + 1}: {len(lines) - 1} lines; a file of this kind has at most {most}"
        # Tables of tests have long literals; clang-format has folded all that can be folded.
        for number, line in enumerate([] if name.endswith("_test.cpp") else lines, 1):
            if len(line) > 120:
                yield f"{name}:{number}: {len(line)} columns; a line has at most 120"


def check_first_line(tree):
    for name in tree.sources() + [f for f in tree.files if f.endswith((".py", "CMakeLists.txt", ".cmake"))]:
        lines = tree.lines(name)
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if "SPDX-License-Identifier: Apache-2.0" not in first:
            yield f"{name}:1: the first line must be the SPDX licence line"
        elif name.endswith((".cpp", ".hpp")) and not lines[1].startswith("// "):
            yield f"{name}:2: the second line must say in one sentence what the file is for"


def check_words(tree):
    for name in tree.product():
        main = name.endswith("main.cpp")
        for number, line in enumerate(tree.lines(name), 1):
            for pattern, why in BANNED.items():
                if re.search(pattern, line) and not (main and "catch" in pattern):
                    yield f"{name}:{number}: {why}"
    for name in tree.files:
        if not name.endswith(TEXT) or name.startswith("tests/lint/"):
            continue
        for number, line in enumerate(tree.lines(name), 1):
            if UNFINISHED.search(line) and not name.endswith("package-lock.json"):
                yield f"{name}:{number}: unfinished work belongs in the issue tracker"
            if MACHINE_PATH.search(line):
                yield f"{name}:{number}: a path of one machine"
            if name.endswith("package-lock.json") and '"resolved"' in line:
                yield f"{name}:{number}: the lock file names a registry's host"


def check_readmes(tree):
    folders = {os.path.dirname(f) for f in tree.sources() if os.path.dirname(f)}
    for folder in sorted(folders | {f.split("/")[0] for f in tree.sources()}):
        readme = f"{folder}/README.md"
        if folder.startswith("tests/"):
            continue
        if readme not in tree.files:
            yield f"{readme}:1: each room says what lives in it: write this file"
        elif len(tree.lines(readme)) > 80:
            yield f"{readme}:81: a room's README is a screen or less"


def check_test_mirrors(tree):
    stems = {}
    for name in tree.product():
        stems.setdefault(name.split("/")[0], set()).add(Path(name).stem)
    for name in tree.files:
        stems.setdefault(name.split("/")[0], set()).update(name.split("/")[1:-1])  # examples_test: a folder of examples
    for name in tree.files:
        parts = name.split("/")
        if parts[0] != "tests" or not name.endswith("_test.cpp"):
            continue
        room = TEST_ROOM.get(parts[1], parts[1])
        stem = Path(name).stem.removesuffix("_test")
        # host_pattern_test may test the patterns of host.hpp.
        if not any(stem == source or stem.startswith(source + "_") for source in stems.get(room, ())):
            yield f"{name}:1: mirrors no source: there is no {stem}.cpp or {stem}.hpp under {room}/"


ALL = [check_arrows, check_third_party, check_local_includes, check_sizes, check_first_line, check_words,
       check_readmes, check_test_mirrors]


def run(root):
    tree = Tree(root)
    return [message for rule in ALL for message in rule(tree)]
