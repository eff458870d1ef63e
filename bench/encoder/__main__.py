"""How well the encoders keep to their rate, and how much CPU they take: seven tables
(encoder_tables.cc)."""

import argparse
import os

from bench.tools import bench_tool


def main():
    argparse.ArgumentParser(prog="encoder", description=__doc__).parse_args()
    program = str(bench_tool("encoder_tables"))
    os.execv(program, [program])


main()
