"""The definition of figures: a scenario's path, and the measuring code, including built programs.
Figures of two builds of symcast can be compared, those of two definitions cannot."""

import ast
import functools
import hashlib
import inspect
import pathlib
import subprocess
import tempfile
import textwrap
from dataclasses import replace

from bench.policies import bulk_flow, capacity, measure, results, run
from bench.policies.scenarios import CEILING, Scenario
from bench.tools import bench_tool
from netlab import timeline
from netlab.network import tool

MODULES = (bulk_flow, capacity, measure, results, run, timeline)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
IMPORTS = (ast.Import, ast.ImportFrom)


def definition_of(scenario, every):
    """A digest of the definition. It ignores comments, descriptions and the places of modules.
    `every`: SSIM is computed for one in this many frames."""
    path = replace(scenario, name="", what="", quick=False, only_named=False)
    return _digest(_code(), every, CEILING, path, scenario.capacity(seed=1).changes)


@functools.cache  # describes the running code, even if the files change meanwhile
def _code():
    tools = tool("link_emulator"), tool("ts_client"), bench_tool("shown_quality")
    return _digest(*(python_code(inspect.getsource(each)) for each in (*MODULES, Scenario)),
                   *map(build_of, tools))


def python_code(text):
    """The code without comments, docstrings, layout and imports."""
    tree = ast.parse(textwrap.dedent(text))
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED):
            code = node.body[1:] if ast.get_docstring(node) else node.body
            node.body = [line for line in code if not isinstance(line, IMPORTS)]
    return ast.dump(tree)


def build_of(path):
    """A digest of a built program that ignores comments and debug information."""
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", path,
                        stripped.name], check=True)
        return hashlib.sha256(pathlib.Path(stripped.name).read_bytes()).hexdigest()[:12]


def _digest(*parts):
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:12]
