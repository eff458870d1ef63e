#!/usr/bin/env python3
"""The pages for operators and the source agree: TROUBLESHOOTING.md has every reason and state, and names only
log events and metrics that exist; each key of the configuration that a page names exists."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
SECTIONS = re.findall(r"^\[(\w+)\]", (ROOT / "config/symcast.toml").read_text(), re.M)


def text(path):
    return (ROOT / path).read_text()


def names_of(function_text):
    return set(re.findall(r'return "(\w+)";', function_text)) - {"unknown"}


def function(source, signature):
    begin = source.index(signature)
    return source[begin:source.index("\n}\n", begin)]


def all_sources():
    return "".join(path.read_text() for path in (ROOT / "src").rglob("*.cc"))


def missing_rows():
    """Reasons and states without a row in the tables."""
    names = text("src/app/telemetry/names.cc")
    wanted = names_of(text("src/abr/reason.cc"))
    wanted |= names_of(function(names, "name(server::LeaveReason"))
    wanted |= names_of(function(names, "name(transcoder::Ingest::Status"))
    rows = set(re.findall(r"^\| `(\w+)`", text("docs/TROUBLESHOOTING.md"), re.M))
    return [f"docs/TROUBLESHOOTING.md: no row for `{name}`" for name in sorted(wanted - rows)]


def unknown_words():
    """Log events, metrics and keys that the pages name, and that do not exist."""
    sources, reference = all_sources(), text("config/symcast.toml")
    keys, section = set(), ""
    for line in reference.splitlines():
        if found := re.match(r"\[(\w+)\]", line):
            section = found[1]
        elif found := re.match(r"#(\w+) = ", line):
            keys.add(f"{section}.{found[1]}")
    for page in PAGES:
        words = re.findall(r"`([^`\n]+)`", page.read_text())
        for word in words:
            if re.fullmatch(rf"({'|'.join(SECTIONS)})\.[a-z_]+", word) and word not in keys | {"source.uri", "tcp.network"}:
                yield f"{page.name}: there is no key {word}"
            elif re.fullmatch(r"symcast_\w+[a-z]", word) and f'"{word}"' not in sources:
                yield f"{page.name}: there is no metric {word}"
    events = re.findall(r"^\| `(\w+_\w+)` \|", text("docs/TROUBLESHOOTING.md"), re.M)
    for event in events:
        if f'"{event}"' not in sources:
            yield f"docs/TROUBLESHOOTING.md: nothing is called {event}"


def unlisted_pages():
    """Decisions that the list omits, and pages for the site that are not in its menu."""
    decisions, menu = text("docs/decisions/README.md"), text("mkdocs.yml")
    for page in (ROOT / "docs/decisions").glob("0*.md"):
        if f"({page.name})" not in decisions:
            yield f"docs/decisions/README.md: {page.name} is missing"
    for page in (ROOT / "docs").glob("*.md"):
        if f" docs/{page.name}\n" not in menu:
            yield f"mkdocs.yml: docs/{page.name} is missing"


def main():
    errors = [*missing_rows(), *unknown_words(), *unlisted_pages()]
    print("\n".join(errors + [f"{len(PAGES)} pages, {len(errors)} errors"]))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
