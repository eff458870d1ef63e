"""Replays the experiments of the papers that this project implements, and writes a page for each and an
overview. Needs root, to make network namespaces.

Measurements are kept in a file for each experiment, next to the pages, and are not repeated: an
interrupted pass continues, and if no run is missing, only the pages are written. A fresh checkout has
all measurements; to repeat them, remove docs/results/papers/NAME.json or choose another folder."""

import argparse
import pathlib
import signal
import sys
import time

from bench.papers import overview
from bench.papers.experiment import Scope
from bench.papers.experiments import EXPERIMENTS
from bench.papers.figures import Figures
from bench.papers.page import Page
from bench.papers.runner import run_all
from bench.papers.testbed import CHECKS, Refused, machine
from netlab.network import REPOSITORY

RESULTS = REPOSITORY / "docs" / "results" / "papers"
QUICK_RESULTS = REPOSITORY / "build" / "papers-quick"


def parse():
    parser = argparse.ArgumentParser(prog="papers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="names [all]")
    parser.add_argument("--quick", action="store_true",
                        help="fewer and shorter runs, in minutes; pages go to build/papers-quick")
    parser.add_argument("--repeats", type=int, help="repeats of each run, each with another seed")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first repeat [%(default)s]")
    parser.add_argument("--results", type=pathlib.Path, help="folder of the pages [docs/results/papers]")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the pages")
    parser.add_argument("--list", action="store_true", help="name the experiments")
    options = parser.parse_args()
    options.results = options.results or (QUICK_RESULTS if options.quick else RESULTS)
    unknown = [name for name in options.experiments if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"unknown experiment {unknown[0]}; there are {', '.join(EXPERIMENTS)}")
    return options


def end_in_order():
    """SIGTERM ends the `with` blocks like a normal exit."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("papers: ended"))


def scope_of(experiment, options):
    usual = experiment.quick_repeats if options.quick else experiment.repeats
    return Scope(options.quick, options.repeats or usual, options.seed)


def self_check(testbeds):
    """Results of the testbeds' self-checks; exits if one of them fails."""
    found = {}
    for name in sorted(testbeds):
        print(f"self-check of {name}", flush=True)
        try:
            found[name] = CHECKS[name]()
        except Refused as error:
            sys.exit(f"papers: results refused: {error}")
    return found


def announce(plan):
    total = sum(run.seconds / experiment.at_once
                for experiment, runs, figures in plan
                for run in runs if run.key not in figures.counted(runs))
    print(f"{', '.join(experiment.name for experiment, _, _ in plan)}: about "
          f"{total / 60:.0f} minutes, until "
          f"{time.strftime('%H:%M', time.localtime(time.time() + total))}", flush=True)


def write_page(experiment, runs, figures, directory):
    wanted = {run.key for run in runs}
    page = Page(experiment, directory)
    experiment.report(figures.counted(runs), page)
    not_counted = [(key, "; ".join(found["complaints"])) for key, found in figures.runs.items()
                   if key in wanted and found.get("complaints")]
    print(page.save(figures.conditions_of(runs), not_counted))
    figures.claims = page.claims
    figures.save()
    return not_counted


def main():
    options = parse()
    if options.list:
        for experiment in EXPERIMENTS.values():
            print(f"{experiment.name:<14}{experiment.title}")
        return
    end_in_order()
    chosen = [EXPERIMENTS[name] for name in options.experiments or EXPERIMENTS]
    plan = [(experiment, experiment.runs(scope_of(experiment, options)),
             Figures(options.results / f"{experiment.name}.json")) for experiment in chosen]
    if not options.report:
        announce(plan)
        checks = self_check({testbed for experiment, runs, figures in plan
                             if len(figures.counted(runs)) < len(runs)
                             for testbed in experiment.testbeds})
    incomplete = []
    for experiment, runs, figures in plan:
        if not options.report and any(run.key not in figures.counted(runs) for run in runs):
            figures.conditions = {
                "pass": "quick: fewer runs, and shorter ones than the method says"
                        if options.quick else "full",
                **machine(), "seeds": sorted({run.seed for run in runs}),
                "runs at once": experiment.at_once,
                **{f"self-check of {name}": "; ".join(checks[name])
                   for name in experiment.testbeds}}
            run_all(experiment, runs, figures)
        not_counted = write_page(experiment, runs, figures, options.results)
        incomplete += [f"{experiment.name} {key}: {why}" for key, why in not_counted]
    print(overview.write(options.results, EXPERIMENTS))
    if incomplete and not options.report:
        sys.exit("papers: not counted:\n" + "\n".join(incomplete))


main()
