"""Real viewers of one stream on mixed links, with few encode groups and with one for each viewer.

    server's namespace        a link for each viewer                a namespace for each
    stream, 4 groups   ---- [ queue, rate in steps, delay ] ----  ts_client
    the same, 20       ---- [ the same                    ] ----  ts_client

A link's rate is log-normal and changes in steps, and each link has its own delay. The two runs use the
same links, one run after the other. Frames are small, so that as many encoders as viewers fit on two
CPUs, and show noise, so that each stream takes its whole rate. Needs root, to make network
namespaces."""

import argparse
import json
import math
import pathlib
import random
import statistics
import sys
import tempfile

from bench.audience import DELAYS, LATE, Path, Run, delay_figures, growth, medians
from netlab.network import why_unavailable

MEDIAN, SIGMA = 2e6, 0.7  # median of a link's rate, bit/s; standard deviation of its logarithm
LEAST, MOST = 0.5e6, 8e6
STAY = (3, 15)  # seconds between the steps of a link
WARM_UP = 5  # seconds after the last join that are not counted

CONFIG = """
[rate]
start = "1M"
min = "300k"
max = "6M"
[groups]
max = {groups}
cpu = 1.0
[audio]
enabled = false
[encoder]
preset = "ultrafast"
crf = 8
[[stream]]
name = "live"
source = {{ uri = "test:?size={size}&content=noise&audio=off" }}
control = {{ policy = "{policy}" }}
tcp = {{ congestion_control = "{congestion_control}" }}
"""


def draw_path(chance, seconds):
    steps, at = [], 0.0
    while at < seconds:
        rate = math.exp(chance.gauss(math.log(MEDIAN), SIGMA))
        steps.append((at, min(MOST, max(LEAST, rate))))
        at += chance.uniform(*STAY)
    return Path(chance.uniform(*DELAYS), steps)


def run_viewers(options, groups, paths):
    config = CONFIG.format(groups=groups, size=options.size, policy=options.policy,
                           congestion_control=options.congestion_control)
    with tempfile.TemporaryDirectory() as directory:
        return Run(config, paths, options.seconds, WARM_UP, pathlib.Path(directory))


def sums_of(run):
    """The figures of all viewers together, and of the server."""
    last = run.samples[-1]
    return {"ln_rate": statistics.mean(figures["ln_rate"] for figures in run.figures),
            **delay_figures([delay for delays in run.delays for delay in delays]),
            "changes": sum(figures["changes"] for figures in run.figures),
            "forced": growth(run.samples, "symcast_group_keyframes_forced_total"),
            "cpu_s": last.cpu_s, "groups": len(last.metrics.all("symcast_group_viewers")),
            "plans": last.metrics.sum("symcast_group_plans_total"),
            "shed": last.metrics.sum("symcast_groups_shed_total")}


VIEWER_COLUMNS = f"{'ln rate':>9}{'Mbit/s':>8}{'late %':>8}{'p50 ms':>8}{'p95 ms':>8}{'changes':>9}"


def row(figures):
    return (f"{figures['ln_rate']:9.3f}{math.exp(figures['ln_rate']) / 1e6:8.2f}"
            f"{100 * figures['late']:8.2f}{figures['p50']:8.0f}{figures['p95']:8.0f}"
            f"{figures['changes']:9.0f}")


def print_viewers(seed, runs, paths):
    print(f"\n# seed {seed}, each viewer; rate: geometric mean over seconds; late: more than "
          f"{LATE} s")
    print(f"{'':22}" + "".join(f"{f'groups.max = {groups}':>50}" for groups in runs))
    print(f"{'viewer':>7}{'delay ms':>9}{'link':>6}" + VIEWER_COLUMNS * len(runs))
    for viewer, path in enumerate(paths):
        link = statistics.geometric_mean(rate for _, rate in path.steps) / 1e6
        print(f"{viewer:7}{path.delay_ms:9.0f}{link:6.2f}"
              + "".join(row(run.figures[viewer]) for run in runs.values()))
    for groups, run in runs.items():
        print(f"# groups.max = {groups}: {run.machine}", flush=True)


def print_sums(title, sums):
    print(f"\n# {title}")
    print(f"{'groups.max':>10}{VIEWER_COLUMNS}{'forced keys':>13}{'plans':>7}{'shed':>6}"
          f"{'groups':>8}{'CPU s':>8}")
    for groups, figures in sums.items():
        print(f"{groups:10}{row(figures)}{figures['forced']:13.0f}{figures['plans']:7.0f}"
              f"{figures['shed']:6.0f}{figures['groups']:8.0f}{figures['cpu_s']:8.1f}", flush=True)
    few, each = sums.values()
    print(f"# rate with the fewer groups: {math.exp(few['ln_rate'] - each['ln_rate']):.1%} of the "
          f"rate with more; ln: {few['ln_rate'] / each['ln_rate']:.2%}")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="ladder viewers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--groups", type=int, default=4, help="groups of the first run [%(default)s]; the "
                        "second run has one for each viewer")
    parser.add_argument("--seconds", type=int, default=60, help="of each run [%(default)s]")
    parser.add_argument("--seeds", type=int, default=3, help="[%(default)s]")
    parser.add_argument("--size", default="320x180", help="size of the frames [%(default)s]")
    parser.add_argument("--policy", default="symbiosis", help="[%(default)s]")
    parser.add_argument("--congestion-control", default="cubic", help="[%(default)s]")
    parser.add_argument("--json", type=pathlib.Path, help="file for all figures")
    options = parser.parse_args(arguments)
    if options.groups >= options.viewers:
        sys.exit("ladder: --groups must be less than --viewers, the groups of the second run")
    return options


def main(arguments):
    options = parse(arguments)
    reason = why_unavailable()
    if reason:
        sys.exit(f"ladder: {reason}")
    all_sums = []
    for seed in range(1, options.seeds + 1):
        chance = random.Random(seed)
        paths = [draw_path(chance, options.seconds) for _ in range(options.viewers)]
        runs = {groups: run_viewers(options, groups, paths)
                for groups in (options.groups, options.viewers)}
        print_viewers(seed, runs, paths)
        all_sums.append({groups: sums_of(run) for groups, run in runs.items()})
        print_sums(f"seed {seed}, all viewers", all_sums[-1])
    if options.seeds > 1:
        print_sums(f"medians of {options.seeds} seeds", medians(all_sums))
    if options.json:
        options.json.write_text(json.dumps(all_sums, indent=1))
