#!/usr/bin/env python3
"""Checks the includes of src/ against the table of docs/ARCHITECTURE.md: which folder may use which,
no cycle of headers or of folders, each foreign library only where it is wrapped, and no file named
there that is gone."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
FOLDER = r"\w+(?:/\w+)?"
ROW = re.compile(rf"^\| `({FOLDER})/` \|[^|]*\| ([^|]*) \|", re.M)

# Libraries that show in one kind of place only: never in a header, for it would spread.
WRAPPED = re.compile(r"^(gst/|libav|libsw|x264\.h|event2/|bpf/|netlink/|toml\+\+|CLI/|http_parser\.h|spdlog/)")


def allowed_uses():
    """{folder: folders it may use}, from the table of the documentation. All may use base."""
    table = (ROOT / "docs/ARCHITECTURE.md").read_text()
    return {folder: {"base", *re.findall(rf"`({FOLDER})`", uses)} for folder, uses in ROW.findall(table)}


def includes(path):
    return INCLUDE.findall(path.read_text())


def folder_of(path):
    """app/config, of app/config/nearest.h"""
    return str(pathlib.PurePath(path).parent)


def direction_errors(sources, allowed):
    for path in sources:
        if path == SOURCE / "main.cc":
            continue
        folder = folder_of(path.relative_to(SOURCE))
        if folder not in allowed:
            yield f"src/{folder}/ is not in the table of docs/ARCHITECTURE.md"
            continue
        for quote, target in includes(path):
            used = folder_of(target)
            if quote == '"' and used != folder and used not in allowed[folder]:
                yield f"{path.relative_to(ROOT)}: {folder} may not use {target}"


def wrapping_errors(sources):
    for path in sources:
        for _, target in includes(path):
            if path.suffix == ".h" and WRAPPED.match(target):
                yield f"{path.relative_to(ROOT)}: <{target}> in a header"


def cycles(graph):
    """Each cycle that a depth-first search over {node: nodes it uses} meets, as a list of nodes."""
    done, path = set(), []

    def visit(node):
        if node in path:
            yield [*path[path.index(node):], node]
        if node in done or node in path:
            return
        path.append(node)
        for target in sorted(graph.get(node, ())):
            yield from visit(target)
        path.pop()
        done.add(node)

    for node in sorted(graph):
        yield from visit(node)


def header_cycle_errors(sources):
    graph = {str(p.relative_to(SOURCE)): {t for q, t in includes(p) if q == '"'}
             for p in sources if p.suffix == ".h"}
    for cycle in cycles(graph):
        yield "cycle of headers: " + " -> ".join(cycle)


def folder_cycle_errors(sources):
    """A folder is its headers and its sources, because readers of a class read both."""
    graph = {}
    for path in sources:
        folder = folder_of(path.relative_to(SOURCE))
        used = {folder_of(target) for quote, target in includes(path) if quote == '"'}
        graph.setdefault(folder, set()).update(used - {folder})
    for cycle in cycles(graph):
        yield "cycle of folders: " + " -> ".join(cycle)


def missing_includes(sources):
    for path in sources:
        for quote, target in includes(path):
            base = ROOT if target.startswith("bpf/") else SOURCE
            if quote == '"' and not (base / target).exists():
                yield f"{path.relative_to(ROOT)}: {target} is not in src/ (write paths from src/)"


def documentation_errors():
    """The documentation names files as `folder/name` or "folder/name, name": each must exist."""
    text = (ROOT / "docs/ARCHITECTURE.md").read_text()
    folders = "|".join(sorted(allowed_uses(), key=len, reverse=True))  # app/config before app
    for folder, names in re.findall(rf"\b({folders})/(\w+(?:, \w+(?=[ ,]))*)", text):
        for name in names.split(", "):
            place = SOURCE / folder
            if not list(place.glob(f"{name}.*")) and not (place / name).is_dir():
                yield f"docs/ARCHITECTURE.md: there is no src/{folder}/{name}"


def main():
    allowed = allowed_uses()
    sources = sorted(p for p in SOURCE.rglob("*") if p.suffix in (".cc", ".h"))
    errors = sorted({*direction_errors(sources, allowed), *wrapping_errors(sources),
                     *header_cycle_errors(sources), *folder_cycle_errors(sources),
                     *missing_includes(sources),
                     *documentation_errors()})
    if not allowed or not sources:
        errors.append("found no table or no sources")
    for error in errors:
        print(error)
    print(f"{len(sources)} files, {len(errors)} errors")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
