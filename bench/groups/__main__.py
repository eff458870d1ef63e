"""A mixed audience with the default number of encode groups (groups.max = 0), and with fixed ones: 20
viewers on links of 1 to 10 Mbit/s, each with its own delay, two of them with 1 % of random loss. All runs
of a repeat have the same links. The configuration is the built-in one, except for rate.max: 6 Mbit/s,
which a link of 10 Mbit/s carries. The server takes all CPUs of the machine into account; the figures are
meant for two.

Mbit/s is the mean rate of video that arrived. A frame's delay is from capture to arrival of its last byte;
a frame that never arrived is late until the next one that did. It counts as lost, even if the server left
it out because of a backlog or a low rate. CPU times are those of the server, tracing included, and of its
encode groups. Needs root, to make network namespaces."""

import argparse
import math
import os
import pathlib
import random
import sys
import tempfile

from bench.audience import Run, length_of_run, medians
from bench.groups.figures import CLASSES, DEFAULT, VIEWERS, compare, draw_paths, of_run, worst_delay
from netlab.network import why_unavailable

WARM_UP = 15  # seconds after the last join that are not counted: rates rise, and encoders are measured
MOST_LOST = 0.03  # share of the best fixed value's ln(rate) that the default may be below it
MOST_DELAY = 120  # ms, p95 of each class
CONGESTION_CONTROL = pathlib.Path("/proc/sys/net/ipv4/tcp_congestion_control")

CONFIG = """
[rate]
max = "6M"
[groups]
max = {groups}
[[stream]]
name = "live"
source = {{ uri = "test:?size=640x360&content={content}" }}
"""


def conditions(options):
    return (f"{VIEWERS} viewers, {options.content}; {len(os.sched_getaffinity(0))} of {os.cpu_count()} CPUs, "
            f"{CONGESTION_CONTROL.read_text().strip()}; {options.seconds} s after {WARM_UP} s that do "
            "not count")


def run_with(groups, paths, options, seed):
    with tempfile.TemporaryDirectory() as directory:
        run = Run(CONFIG.format(groups=groups, content=options.content), paths,
                  length_of_run(len(paths), WARM_UP, options.seconds), WARM_UP, pathlib.Path(directory),
                  seed=seed)
    print(f"# seed {seed}, groups.max = {groups}: {run.machine}", flush=True)
    return of_run(run)


def print_results(title, results):
    print(f"\n# {title}\n{'groups.max':>10}  {'link':<17}{'viewers':>7}{'Mbit/s':>8}{'p95 ms':>8}{'lost %':>8}")
    for groups, figures in results.items():
        for link in CLASSES:
            of_class = figures["classes"][link.name]
            print(f"{groups:10}  {link.name:<17}{link.viewers:7}{of_class['rate'] / 1e6:8.2f}"
                  f"{of_class['p95']:8.0f}{100 * of_class['lost']:8.2f}")
    print(f"\n{'groups.max':>10}{'ln rate':>9}{'Mbit/s':>8}{'open':>6}{'held':>6}{'moves':>7}{'shed':>6}"
          f"{'late %':>8}{'CPU s/s':>9}{'encoders':>10}")
    for groups, figures in results.items():
        print(f"{groups:10}{figures['ln_rate']:9.3f}{math.exp(figures['ln_rate']) / 1e6:8.2f}"
              f"{figures['open']:6.1f}{figures['held']:6.1f}{figures['moves']:7.0f}{figures['shed']:6.0f}"
              f"{100 * figures['late']:8.2f}{figures['cpu']:9.2f}{figures['encoders']:10.2f}", flush=True)


def print_comparison(results):
    if DEFAULT not in results or len(results) == 1:
        return
    found = compare(results)
    print(f"\n# the default against groups.max = {found.best}, the best fixed value: mean ln(rate) "
          f"{found.ln:+.2%} (asked: -{MOST_LOST:.0%} or more), rate {found.rate:+.1%}")
    for name, groups in (("the default", DEFAULT), (f"groups.max = {found.best}", found.best)):
        delay, link = worst_delay(results[groups])
        print(f"# {name}: the worst p95 of a class is {delay:.0f} ms, with {link} (asked: {MOST_DELAY} "
              "ms or less)")


def parse():
    parser = argparse.ArgumentParser(prog="groups", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, nargs="+", default=[DEFAULT, 1, 2, 4, 8], metavar="MAX",
                        help="values of groups.max; 0 is the default number [0 1 2 4 8]")
    parser.add_argument("--seconds", type=int, default=60, help="of each run that count [%(default)s]")
    parser.add_argument("--content", choices=["motion", "noise"], default="motion", help="of the pictures: "
                        "motion needs about 1 Mbit/s, noise takes the whole rate [%(default)s]")
    parser.add_argument("--repeats", type=int, default=3, help="each with the next seed [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of delays and losses [%(default)s]")
    return parser.parse_args()


def main():
    options = parse()
    reason = why_unavailable()
    if reason:
        sys.exit(f"groups: {reason}")
    print(f"# {conditions(options)}", flush=True)
    repeats = []
    for seed in range(options.seed, options.seed + options.repeats):
        paths = draw_paths(random.Random(seed))
        repeats.append({groups: run_with(groups, paths, options, seed) for groups in options.groups})
        print_results(f"seed {seed}; Mbit/s of all: geometric mean", repeats[-1])
    results = medians(repeats)
    if options.repeats > 1:
        print_results(f"medians of {options.repeats} seeds", results)
    print_comparison(results)


main()
