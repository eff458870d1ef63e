"""What figures are figures of: a scenario's path, and the code that measures. Those of two builds
of symcast are there to be compared; those of two definitions cannot be."""

import ast
import functools
import hashlib
import inspect
import pathlib
import re
import textwrap
from dataclasses import replace

import bulk_flow
import capacity
import measure
import results
import run
import timeline
from scenarios import CEILING, Scenario

MODULES = (bulk_flow, capacity, measure, results, run, timeline)
SHOWN_QUALITY = ("shown_quality.cc", "recording.cc", "screen.cc", "ssim.cc", "screen.h", "ssim.h")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def definition_of(scenario):
    """Tells one definition from another, but for comments and the words that describe it."""
    path = replace(scenario, name="", what="", quick=False)
    return _digest(_code(), CEILING, path, scenario.capacity(seed=1).changes)


@functools.cache  # so that it is of what runs, whatever becomes of the files meanwhile
def _code():
    folder = pathlib.Path(__file__).parent
    return _digest(*(python_code(inspect.getsource(each)) for each in (*MODULES, Scenario)),
                   *(cpp_code((folder / name).read_text()) for name in SHOWN_QUALITY))


def python_code(text):
    """Without comments, docstrings and layout."""
    tree = ast.parse(textwrap.dedent(text))
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node):
            node.body = node.body[1:]
    return ast.dump(tree)


def cpp_code(text):
    """Without comments and layout."""
    return " ".join(re.sub(r"//.*", "", text).split())


def _digest(*parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:12]
