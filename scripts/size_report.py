#!/usr/bin/env python3
"""Prints the longest functions and files of src/, to show which ones grow."""

import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHOWN = 5
# Keywords that open a block other than a function body.
OTHER_BLOCK = re.compile(
    r"\b(if|for|while|switch|catch|do|else|try|namespace|class|struct|enum|union|extern)\b[^;]*$")
BODY = re.compile(r"\)\s*(const|noexcept|override|final|->\s*[\w:<>*& ]+|\s)*(:\s.*)?$", re.S)
NAME = re.compile(r"([\w:~]+|operator\S+)\s*\(")


def blank_out(text):
    """The text with comments, strings and characters replaced by blanks; line lengths stay."""
    pattern = re.compile(
        r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def functions(path):
    """(lines, name, first line) of each function. Lambdas count as part of their function."""
    text = blank_out(path.read_text())
    text = re.sub(r"^\s*#[^\n]*", "", text, flags=re.M)
    start, stack = 0, []
    for position, character in enumerate(text):
        if character in "{};" and character != "{":
            start = position + 1
            if character == "}" and stack:
                opened, head = stack.pop()
                if head is not None:
                    first = text.count("\n", 0, opened) + 1
                    last = text.count("\n", 0, position) + 1
                    yield last - first + 1, head, first
        elif character == "{":
            head = text[start:position]
            inside = any(name is not None for _, name in stack)
            name = NAME.search(head)
            is_body = not inside and name and BODY.search(head) and not OTHER_BLOCK.search(head)
            stack.append((position, name.group(1) if is_body else None))
            start = position + 1


def main():
    sources = sorted(p for p in (ROOT / "src").rglob("*") if p.suffix in (".cc", ".h"))
    found = [(lines, name, path, first) for path in sources for lines, name, first in
             functions(path)]
    files = sorted(((len(path.read_text().splitlines()), path) for path in sources), reverse=True)
    if not found:
        sys.exit("size_report.py found no functions in src/; its parser must be broken")
    lengths = [lines for lines, *_ in found]
    print(f"{len(found)} functions: median {statistics.median(lengths):.0f} lines, "
          f"95th percentile {statistics.quantiles(lengths, n=20)[-1]:.0f}")
    for lines, name, path, first in sorted(found, key=lambda f: -f[0])[:SHOWN]:
        print(f"  {lines:4}  {name}  {path.relative_to(ROOT)}:{first}")
    print(f"{len(files)} files: median {statistics.median(n for n, _ in files):.0f} lines")
    for lines, path in files[:SHOWN]:
        print(f"  {lines:4}  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
