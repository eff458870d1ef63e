"""The built programs of the benchmarks."""

import os
import pathlib

from netlab.network import tool


def bench_tool(name):
    """Path of one: from $BENCH_TOOLS (set by the wrappers), else of the newest build of netlab's."""
    folder = os.environ.get("BENCH_TOOLS") or pathlib.Path(tool("ts_client")).parents[1] / "bench/tools"
    return pathlib.Path(folder) / name
