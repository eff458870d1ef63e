#!/usr/bin/env python3
"""Finds sentences and names that a stranger would have to decode: pronouns for viewers, noun clauses
in place of nouns, telegrams, private words (docs/GLOSSARY.md has the right ones), and constants whose
short name means several things in one folder. Prints each with its place; exit status 1 if any."""

import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# (pattern, what to write instead). Matched in comments, strings and documents, not in code.
PATTERNS = [
    (r"\b(he|him|his|himself|she|her|hers)\b", "they, them, their; it for a program"),
    (r"(?<!#)(?:^|\x02|[.:;]\s|^\s*[-*] |\| )(What|Who|Whom|Whose)\b(?![^.|]*\?)", "name the thing: a noun first"),
    (r"(?:\x02|^|[:;]\s|^\s*[-*] )(what|who|whom)\b(?! it is\b)(?![^.]*\?)", "name the thing: a noun first"),
    (r"\bwhoever\b", "anyone who, clients that; or a noun first"),
    (r"\bso (many|much|few|long|old|often)\b(?!,| that\b| as\b)", "say the quantity"),
    (r"; (empty|null|0|zero): (none|no|never|not)\b", "a sentence: Empty if ..., 0 disables ..."),
    (r"^\x02?(0|Empty|Null|False|True): ", "a sentence: 0 disables ..., Empty if ..."),
    (r"\blikewise\b", "repeat the noun"),
    (r"\bPure\.", "No I/O, no clock. Or: A pure function."),
    (r"(?<![\"#])\bsounds?\b(?! (like|as)\b)(?!\")", "audio, audio frames"),
    (r"\b(mend(s|ed|ing)?|lacking|detour|foreign queue)\b", "recover, missing, base RTT shift, cross traffic"),
    (r"\b(tells?|told|telling) of\b", "reports, is notified of"),
    (r"\b(can|may|could|to) be had\b", "is available"),
    (r"\bby and by\b", "gradually"),
    (r"\bthe while\b", "the time, the hold"),
    (r"\banew\b", "again, re- (restart, renumber, rebuild)"),
    (r"\b(look(s|ed|ing)? at) (a|the|its|each|every) (viewer|connection)", "sample"),
]
PATTERNS = [(re.compile(pattern, 0 if "What" in pattern or "Pure" in pattern or "(0|" in pattern
                        else re.I), advice) for pattern, advice in PATTERNS]

CODE = (".cc", ".h", ".c", ".ts", ".mjs")
TEXT = (".md", ".1", ".toml", ".html")
SKIPPED = re.compile(r"^(LICENSE|docs/results/.*\.json|web/package-lock\.json|tests/fuzz/corpus/|scripts/lint_language\.py)")

COMMENT = re.compile(r'//[/!]?<?[ ]?(.*)$')
STRING_BEGIN = "\x02"  # before the text of a string, for the patterns
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [name for name in listed if not SKIPPED.match(name) and (ROOT / name).exists()]


def code_texts(lines):
    """(line number, text): each block of comment lines as one text, and each string of words."""
    block, begin = [], 0
    for number, line in enumerate(lines, 1):
        stripped = line.lstrip()
        if stripped.startswith(("//", "* ", "/**")):
            text = re.sub(r"^(//[/!]?<?|\*|/\*\*)\s?", "", stripped)
            if not block:
                begin = number
            block.append(text)
            continue
        if block:
            yield begin, "\n".join(block)
            block = []
        code = STRING.sub('""', line)
        comment = COMMENT.search(code)
        if comment:
            yield number, comment.group(1)
        if not stripped.startswith(("#include", "import ")):
            for text in STRING.findall(line):
                if " " in text:
                    yield number, STRING_BEGIN + text
    if block:
        yield begin, "\n".join(block)


def python_texts(lines):
    text = "\n".join(lines)
    for match in re.finditer(r'"""(.*?)"""|(?<![#"\'])#\s([^\n]*)', text, re.S):
        yield text.count("\n", 0, match.start()) + 1, match.group(1) or match.group(2) or ""


def document_texts(lines):
    """(line number, text) of each paragraph, list item and row of a table."""
    fenced, block, begin = False, [], 0
    for number, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        ends = fenced or not line.strip() or line.startswith("#")
        if block and (ends or re.match(r"\s*(\||[-*] |\d+\. )", line)):
            yield begin, re.sub(r"`[^`]*`", "", "\n".join(block))
            block = []
        if not ends:
            begin = begin if block else number
            block.append(line)


def texts(name):
    if not name.endswith((*CODE, *TEXT, ".py")):
        return ()
    lines = (ROOT / name).read_text().splitlines()
    if name.endswith(CODE):
        return code_texts(lines)
    if name.endswith(".py"):
        return python_texts(lines)
    return document_texts(lines)


def language_errors(names):
    for name in names:
        for number, text in texts(name):
            quoted = re.sub(r"`[^`]*`", "", text)
            for pattern, advice in PATTERNS:
                for match in pattern.finditer(quoted):
                    line = number + quoted.count("\n", 0, match.start())
                    yield f"{name}:{line}: \"{match.group(0).strip()}\": {advice}"


CONSTANT = re.compile(r"\bconstexpr\b[^=;({]*?\b(k[A-Z]\w*)\b\s*(?=[={\[])")


def constant_errors(names):
    """A name stands for one constant in a folder: the compiler takes the nearest without a word."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in names:
        if not name.startswith("src/") or not name.endswith((".cc", ".h")):
            continue
        folder = str(pathlib.PurePath(name).parent)
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1):
            for match in CONSTANT.finditer(line.split("//")[0]):
                found[folder][match.group(1)].append(f"{name}:{number}")
    for constants in found.values():
        for constant, places in constants.items():
            for place in places[1:]:
                yield f"{place}: {constant} is also in {places[0]}: give it a name of its own"


def main():
    names = files()
    errors = [*language_errors(names), *constant_errors(names)]
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
