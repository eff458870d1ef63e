"""The unit tests of what bench/policies computes."""

import pytest

from bench.policies import definition


@pytest.fixture(autouse=True)
def programs(monkeypatch):
    """None needs to be built: what a definition says of them is where they would be."""
    monkeypatch.setenv("NETLAB_TOOLS", "built")
    monkeypatch.setenv("BENCH_TOOLS", "built")
    monkeypatch.setattr(definition, "build_of", str)
    definition._code.cache_clear()
