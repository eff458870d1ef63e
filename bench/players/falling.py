"""Compares ways to watch a stream in Chromium behind a link that falls from 5 to 1 Mbit/s and returns:
progressive MP4 in the page at /, HLS in hls.js with the rate chosen by the server (?abr=server), and
HLS with the rate chosen by hls.js (?abr=player). The runs follow one another, each on a fresh server;
figures are medians over runs.

stalled   seconds of pauses of 0.3 s or more without a new picture, and their number
rate      Mbit/s that the link carried: over all, before the fall, on the slow link, after the return
switches  number of changes of the served rate by a tenth or more, and their mean ratio
age       of the picture on the screen, by the time drawn into it: median / maximum of each phase
back      seconds from the return until the picture is never again older than promised"""

import json
import math
import pathlib
import statistics
import tempfile

from bench.players.falling_link import DELAY_MS, NOISE, QUEUE, WAYS, FallingLink, parser
from bench.policies.health import CpuWatch


def measure(way, options):
    """Figures of one run."""
    cpu = CpuWatch()
    with tempfile.TemporaryDirectory() as directory:
        run = FallingLink(directory, way, options.phases, options.source)
    stalls, switches = run.stalls(), run.switches()
    figures = {"stalled": sum(stalls), "stalls": len(stalls), "switches": len(switches),
               "ratio": statistics.geometric_mean(switches or [1]), "back": run.back(),
               "dropped": run.pictures.recording["dropped"], "unseen": run.pictures.unseen(), "busy": cpu.busy()}
    for name, rate in zip(("all", "before", "slow", "after"), run.rates()):
        figures[f"rate {name}"] = rate / 1e6
    moments = [run.begin, run.fall, run.rise, run.end]
    for name, begin, end in zip(("before", "slow", "after"), moments, moments[1:]):
        ages = run.ages(begin, end)
        figures |= {f"age {name}": statistics.median(ages), f"age {name} most": max(ages)}
    return figures


def row(way, run):
    rates = " ".join(f"{run[f'rate {name}']:5.2f}" for name in ("all", "before", "slow", "after"))
    ages = "".join(f"{run[f'age {name}']:7.2f} /{run[f'age {name} most']:6.2f}"
                   for name in ("before", "slow", "after"))
    back = "never" if math.isinf(run["back"]) else f"{run['back']:.1f}"
    print(f"{way:<12}{run['stalled']:6.1f} in {run['stalls']:<4g}{rates}  "
          f"{run['switches']:4g} of {run['ratio']:4.2f}  {ages}{back:>7} ({WAYS[way].bound:g} s)"
          f"{run['dropped']:9g}{run['unseen']:7g}{run['busy']:7.0%}", flush=True)


def print_head(options):
    before, slow, after = options.phases
    print(f"link 5 Mbit/s for {before} s, 1 for {slow}, 5 for {after}; {DELAY_MS} ms each way, queue "
          f"{QUEUE} bytes; {options.source}")
    print(f"{'':12}{'stalled s':<14}{'rate all, phases':<25}{'switches':<14}"
          f"{'age s before':>15}{'slow':>15}{'after':>15}{'back s':>14}{'dropped':>9}{'unseen':>7}"
          f"{'CPUs':>7}")


def parse(arguments):
    words = parser("falling", __doc__)
    words.add_argument("--phases", type=int, nargs=3, default=[15, 20, 25], metavar="SECONDS")
    words.add_argument("--source", default=NOISE, help="the stream `live` [%(default)s]")
    words.add_argument("--json", type=pathlib.Path, help="file for the figures of every run")
    return words.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    print_head(options)
    runs = {}
    for way in options.ways or WAYS:
        runs[way] = []
        for _ in range(options.runs):
            runs[way].append(measure(way, options))
            row(way, runs[way][-1])
    if options.runs > 1:
        print(f"medians of {options.runs} runs")
        for way, measured in runs.items():
            row(way, {key: statistics.median(run[key] for run in measured) for key in measured[0]})
    if options.json:
        options.json.write_text(json.dumps(runs, indent=1))
