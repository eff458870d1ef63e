"""The unit tests of what bench/control computes."""

import pathlib
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER)]


@pytest.fixture(autouse=True)
def programs(monkeypatch):
    """None needs to be built: what a definition says of them is where they would be."""
    import definition  # found by the path above

    monkeypatch.setenv("NETLAB_TOOLS", "built")
    monkeypatch.setenv("BENCH_TOOLS", "built")
    monkeypatch.setattr(definition, "build_of", str)
    definition._code.cache_clear()
