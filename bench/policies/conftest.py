"""Fixtures for the unit tests of bench/policies."""

import pytest

from bench.policies import definition


@pytest.fixture(autouse=True)
def programs(monkeypatch):
    """The tests need no built programs: a definition uses their paths instead."""
    monkeypatch.setenv("NETLAB_TOOLS", "built")
    monkeypatch.setenv("BENCH_TOOLS", "built")
    monkeypatch.setattr(definition, "build_of", str)
    definition._code.cache_clear()
