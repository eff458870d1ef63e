#!/usr/bin/env python3
"""Checks that a file of src/ includes the standard headers that it needs, itself or in the header of its own
name. The compiler cannot tell where these headers are precompiled (cmake/targets.cmake)."""

import functools
import pathlib
import re
import sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "src"
# {header: names in std that need it}, of those that are precompiled, or come with them.
NAMES = {
    "algorithm": "all_of any_of clamp copy copy_n equal erase_if fill find find_if lexicographical_compare "
                 "lower_bound max max_element min min_element minmax none_of nth_element remove_if replace "
                 "reverse rotate sort stable_sort transform unique upper_bound",
    "array": "array to_array",
    "atomic": "atomic memory_order_relaxed",
    "condition_variable": "condition_variable condition_variable_any",
    "deque": "deque",
    "functional": "bind_front function hash less not_fn plus ref",
    "map": "map multimap",
    "memory": "enable_shared_from_this make_shared make_unique shared_ptr unique_ptr weak_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock unique_lock",
    "optional": "nullopt optional",
    "set": "multiset set",
    "span": "as_bytes span",
    "string": "getline string to_string",
    "string_view": "string_view",
    "thread": "jthread thread this_thread",
    "tuple": "get tie tuple",
    "utility": "as_const declval exchange forward in_place move pair swap",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
HEADERS = {name: header for header, names in NAMES.items() for name in names.split()}
# {name: other headers that declare it, too, or include the one that does}
ALSO = {"erase_if": {"deque", "map", "set", "string", "vector"}, "get": {"array", "map", "utility", "variant"},
        "hash": {"memory", "optional", "string", "string_view"}, "in_place": {"optional", "variant"},
        "move": {"algorithm"}, "pair": {"map"}, "string_view": {"string"}, "swap": {"algorithm"}}
RANGES = "algorithm"


@functools.cache
def text_of(path):
    """The file without comments and literals."""
    text = path.read_text()
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"', "", text, flags=re.DOTALL)


@functools.cache
def includes_of(path):
    return set(re.findall(r"^#include <([^>]+)>", path.read_text(), re.MULTILINE))


def missing_in(path):
    known = set(includes_of(path))
    own = path.with_suffix(".h")
    if path.suffix == ".cc" and own.exists():
        known |= includes_of(own)
    result = {}
    for ranges, name in re.findall(r"\bstd::(ranges::)?(\w+)", text_of(path)):
        header = RANGES if ranges else HEADERS.get(name)
        if header and header not in known and not ALSO.get(name, set()) & known:
            result.setdefault(header, f"std::{ranges}{name}")
    return result


def main():
    wrong = [f"{path.relative_to(SOURCES.parent)}: include <{header}> for {name}"
             for path in sorted(SOURCES.rglob("*")) if path.suffix in (".h", ".cc")
             for header, name in sorted(missing_in(path).items())]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
