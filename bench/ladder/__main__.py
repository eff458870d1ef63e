"""How much viewers of a stream lose with few encode groups, compared to a private encoder each:

    ladder plan [SECONDS] [SEED]   a thousand viewers in virtual time (ladder_plan.cc)
    ladder viewers [OPTION]...     twenty real viewers on their own links (viewers.py); needs root
"""

import argparse
import os
import sys

from bench.ladder import viewers
from bench.tools import bench_tool


def plan(arguments):
    parser = argparse.ArgumentParser(prog="ladder plan")
    parser.add_argument("seconds", nargs="?", type=int, default=300, help="of each run [%(default)s]")
    parser.add_argument("seed", nargs="?", type=int, default=1, help="[%(default)s]")
    options = parser.parse_args(arguments)
    program = str(bench_tool("ladder_plan"))
    os.execv(program, [program, str(options.seconds), str(options.seed)])


KINDS = {"plan": plan, "viewers": viewers.main}


def main():
    kind, *arguments = sys.argv[1:] or [None]
    if kind in ("-h", "--help"):
        print(__doc__, end="")
    elif kind in KINDS:
        KINDS[kind](arguments)
    else:
        sys.exit(f"{__doc__}\nladder: the first argument has to be one of {', '.join(KINDS)}")


main()
