"""The built programs of the benchmarks."""

import os
import pathlib

from netlab.network import tool


def bench_tool(name):
    """Path of a program: in $BENCH_TOOLS (set by the wrappers), otherwise in the build of ts_client."""
    folder = os.environ.get("BENCH_TOOLS") or pathlib.Path(tool("ts_client")).parents[1] / "bench/tools"
    return pathlib.Path(folder) / name
