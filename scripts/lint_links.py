#!/usr/bin/env python3
"""Checks the links of all Markdown files, offline: files exist, and headings for anchors exist.

    scripts/lint_links.py [DIRECTORY]    default: this repository, as git lists it; otherwise
                                         every Markdown and HTML file below the directory"""

import pathlib
import re
import subprocess
import sys
import urllib.parse

FENCE = re.compile(r"^(```|~~~).*?^\1\s*?$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^\[[^\]]+\]:\s+(\S+)", re.M)
HTML = re.compile(r"\b(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$", re.M)


def prose(text):
    """The text without code, but with its line ends."""
    return CODE.sub("", FENCE.sub(lambda code: "\n" * code.group().count("\n"), text))


def anchors(path):
    """The anchors of a page's headings, by the rule of GitHub and mkdocs' toc."""
    found, text = set(), FENCE.sub("", path.read_text())
    for title in HEADING.findall(text):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number, unique = 0, slug
        while unique in found:
            number += 1
            unique = f"{slug}-{number}"
        found.add(unique)
    return found


def complaint(page, target, root):
    """The fault of a link of `page`; None if it has none."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, anchor = urllib.parse.unquote(target.replace("&amp;", "&")).partition("#")
    path = path.partition("?")[0]
    linked = (page.parent / path).resolve() if path else page.resolve()
    if path.startswith("/") or not linked.is_relative_to(root):
        return "leads out of the tree"
    if not linked.exists():
        return "there is no such file"
    if anchor and linked.suffix == ".md" and anchor not in anchors(linked):
        return f"{linked.name} has no heading for #{anchor}"
    return None


def pages(root, own):
    if not own:
        return sorted([*root.rglob("*.md"), *root.rglob("*.html")])
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=root, check=True, capture_output=True, text=True).stdout
    return [root / name for name in listed.splitlines() if (root / name).exists()]


def main():
    own = len(sys.argv) < 2
    root = pathlib.Path(sys.argv[1] if not own else pathlib.Path(__file__).parent.parent).resolve()
    count, errors = 0, 0
    for page in pages(root, own):
        text = prose(page.read_text())
        for pattern in (LINK, DEFINITION, HTML):
            for match in pattern.finditer(text):
                count += 1
                wrong = complaint(page, match[1], root)
                if wrong:
                    errors += 1
                    line = text.count("\n", 0, match.start()) + 1
                    print(f"{page.relative_to(root)}:{line}: {match[1]}: {wrong}")
    print(f"{count} links, {errors} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
