#!/usr/bin/python3
"""The policies side by side in the real server, over emulated links: a table for each scenario and
congestion control. Every policy has a stream, an encoder and a link of its own, and all links do
the same at the same moments, with the same random losses. Needs root: it makes network namespaces.

What the machine could not keep up with is said and not counted. Scenarios: control/scenarios.py."""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "control"), str(FOLDER.parent / "tests" / "netlab")]

import report  # noqa: E402
from daemon import binary  # noqa: E402
from netlab import why_unavailable  # noqa: E402
from results import results_of  # noqa: E402
from run import Lane, Run, config_of  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402

POLICIES = ["off", "itcp", "dbr", "delivery", "gcc", "symbiosis"]
SEEDS = 5
ENCODERS = 6  # at once: with their sources and viewers they keep two cores half busy
OVERHEAD = 8  # seconds per run: start, decoding, end


def batches(scenario, policies, congestion_controls):
    """The lanes of a scenario, as many at once as the machine's encoders allow; the policies of one
    congestion control in one run where that is possible."""
    at_once = max(1, ENCODERS // scenario.viewers)
    lanes = [[Lane(policy, control) for policy in policies] for control in congestion_controls]
    if sum(map(len, lanes)) <= at_once:
        lanes = [sum(lanes, [])]
    return [group[i:i + at_once] for group in lanes for i in range(0, len(group), at_once)]


def check_policies(scenario, policies):
    """Ends with the server's own word on a policy that it does not know."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "symcast.toml"
        path.write_text(config_of(scenario, [Lane(policy, "cubic") for policy in policies]))
        check = subprocess.run([binary(), "check", str(path)], capture_output=True, text=True)
    if check.returncode != 0:
        sys.exit(f"control: {check.stderr.strip() or check.stdout.strip()}")


def try_batch(scenario, lanes, seed, every):
    """({lane: figures}, what is to be said of the run); no figures where it says nothing."""
    try:
        with tempfile.TemporaryDirectory() as directory:
            run = Run(scenario, lanes, seed, pathlib.Path(directory))
            complaints = run.health.complaints()
            if complaints:
                return {}, f"{run.health.summary()}; refused: {', '.join(complaints)}"
            return results_of(run, every), run.health.summary()
    except (AssertionError, OSError, RuntimeError, ValueError) as error:
        return {}, f"failed: {error}"  # of one run in hours of them


def run_batch(scenario, lanes, seed, every):
    """{lane: figures}; a run that says nothing is done once more."""
    for _ in range(2):
        figures, note = try_batch(scenario, lanes, seed, every)
        print(f"  {scenario.name} seed {seed} {' '.join(lane.name for lane in lanes)}: {note}",
              file=sys.stderr, flush=True)
        if figures:
            return figures
    return {}


def run_scenario(scenario, options):
    """{congestion control: {policy: [figures of each seed]}}"""
    controls = options.congestion_controls
    found = {control: {policy: [] for policy in options.policies} for control in controls}
    for seed in range(1, options.seeds + 1):
        for lanes in batches(scenario, options.policies, controls):
            for lane, figures in run_batch(scenario, lanes, seed, options.every).items():
                found[lane.congestion_control][lane.policy].append({"seed": seed, **figures})
    return {control: {policy: runs for policy, runs in results.items() if runs}
            for control, results in found.items()}


def seconds_of(scenario, options):
    runs = len(batches(scenario, options.policies, options.congestion_controls))
    return options.seeds * runs * (scenario.seconds + OVERHEAD)


def chosen(options):
    """The scenarios asked for; each word also stands for those that begin with it."""
    for word in options.scenarios:
        if not any(scenario.name.startswith(word) for scenario in SCENARIOS):
            sys.exit(f"control: no scenario {word}; see --list")
    return [scenario for scenario in SCENARIOS
            if any(scenario.name.startswith(word) for word in options.scenarios)
            or not options.scenarios and (scenario.quick or not options.quick)]


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", help="names, or how they begin; else all")
    parser.add_argument("--policies", default=",".join(POLICIES),
                        help="as control.policy [%(default)s]; every table has an oracle's figures")
    parser.add_argument("--congestion-control", help="of the sockets [cubic,bbr; quick: cubic]")
    parser.add_argument("--seeds", type=int, help=f"runs of each scenario [{SEEDS}; quick: 1]")
    parser.add_argument("--quick", action="store_true", help="one seed, few scenarios, cubic")
    parser.add_argument("--every", type=int, default=3, help="pictures per SSIM")
    parser.add_argument("--judge", default="symbiosis", help="the policy of the summary")
    parser.add_argument("--json", type=pathlib.Path, help="file for all figures")
    parser.add_argument("--list", action="store_true", help="name the scenarios")
    options = parser.parse_args()
    options.policies = options.policies.split(",")
    options.seeds = options.seeds or (1 if options.quick else SEEDS)
    controls = options.congestion_control or ("cubic" if options.quick else "cubic,bbr")
    options.congestion_controls = controls.split(",")
    return options


def plain(value):
    """For JSON, which has no infinity: null is never."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def write_json(path, tables):
    path.write_text(json.dumps([{"scenario": name, "congestion_control": control,
                                 "policies": plain(results)}
                                for (name, control), results in tables.items()], indent=1))


def main():
    options = parse()
    if options.list:
        for scenario in SCENARIOS:
            print(f"{scenario.name:<18}{scenario.what}")
        return
    reason = why_unavailable()
    if reason:
        sys.exit(f"control: {reason}")
    scenarios = chosen(options)
    check_policies(scenarios[0], options.policies)
    total = sum(seconds_of(scenario, options) for scenario in scenarios)
    print(f"{len(scenarios)} scenarios, {options.seeds} seeds, policies "
          f"{', '.join(options.policies)}: about {total / 60:.0f} minutes, until "
          f"{time.strftime('%H:%M', time.localtime(time.time() + total))}")
    print(report.LEGEND, flush=True)

    tables = {}
    for scenario in scenarios:
        for control, results in run_scenario(scenario, options).items():
            if results:
                report.print_table(scenario, control, results)
                tables[scenario.name, control] = results
        if options.json:
            write_json(options.json, tables)
    if options.judge in options.policies:
        report.print_summary(options.judge, tables)


main()
