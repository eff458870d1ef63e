"""The policies side by side in the real server, over emulated links: a table for each scenario and
congestion control. Every policy has a stream, an encoder and a link of its own. All links do the
same at the same moments, and if one loses its n-th packet by chance, all do. Needs root, to make
network namespaces.

Runs that the machine could not keep up with are reported and not counted; a failed run is named below
its table. Scenarios: scenarios.py."""

import argparse
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from bench.crowd import raise_file_limit
from bench.policies import report, targets
from bench.policies.campaign import measure, plan
from bench.policies.crowd import MAX_TRACES
from bench.policies.definition import build_of
from bench.policies.records import Records
from bench.policies.run import Lane, config_of
from bench.policies.scenarios import SCENARIOS
from netlab.daemon import binary
from netlab.network import why_unavailable

POLICIES = ["off", "itcp", "dbr", "delivery", "gcc", "pudica", "camel", "vidaptive", "symbiosis"]
SEEDS = 5
OVERHEAD = 2  # seconds per run: start and end


def check_policies(scenario, policies):
    """Exits with the server's error message if it does not know a policy."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "symcast.toml"
        path.write_text(config_of(scenario, [Lane(policy, "cubic") for policy in policies]))
        check = subprocess.run([binary(), "check", str(path)], capture_output=True, text=True)
    if check.returncode != 0:
        sys.exit(f"policies: {check.stderr.strip() or check.stdout.strip()}")


def chosen(options):
    """The selected scenarios; a word selects all scenarios whose names begin with it."""
    for word in options.scenarios:
        if not any(scenario.name.startswith(word) for scenario in SCENARIOS):
            sys.exit(f"policies: unknown scenario {word}; see --list")
    return [scenario for scenario in SCENARIOS
            if any(scenario.name.startswith(word) for word in options.scenarios)
            or not options.scenarios and not scenario.only_named
            and (scenario.quick or not options.quick)]


def parse():
    parser = argparse.ArgumentParser(prog="policies", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", help="names, or their beginnings [all but fair-*]")
    parser.add_argument("--policies", default=",".join(POLICIES),
                        help="values of control.policy, optionally with KEY=VALUE of [tcp] "
                        "(symbiosis/pacing=2) [%(default)s]; every table also has an oracle")
    parser.add_argument("--congestion-control", help="list [cubic,bbr; quick: cubic]")
    parser.add_argument("--seeds", type=int, help=f"runs of each scenario [{SEEDS}; quick: 1]")
    parser.add_argument("--quick", action="store_true", help="one seed, few scenarios, cubic")
    parser.add_argument("--every", type=int, default=3, help="compute SSIM for one in this many frames")
    parser.add_argument("--crowd", type=int, default=0, metavar="N",
                        help="as many viewers watch one more stream of the server, on its loopback")
    parser.add_argument("--judge", default="symbiosis", help="the policy that the summary judges")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="file that keeps all figures; runs that it has are not repeated")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE",
                        help="print the figures of such a file, measure nothing")
    parser.add_argument("--list", action="store_true", help="name the scenarios")
    options = parser.parse_args()
    options.policies = options.policies.split(",")
    options.seeds = options.seeds or (1 if options.quick else SEEDS)
    controls = options.congestion_control or ("cubic" if options.quick else "cubic,bbr")
    options.congestion_controls = controls.split(",")
    if options.crowd and options.json:
        parser.error("--json keeps no figures beside a crowd")
    if options.crowd and len(options.policies) > MAX_TRACES:
        parser.error(f"beside a crowd, at most {MAX_TRACES} policies")
    return options


def load(path, every, keep):
    """`keep`: whether figures will be added, so that a file that cannot be written fails at once."""
    try:
        records = Records(path, every)
        if keep:
            records.save()
        return records
    except (OSError, ValueError) as error:
        sys.exit(f"policies: {error}")


def tables_of(scenarios, records, options):
    """[(scenario, congestion control, results, number of others left out)]: only results of the
    newest definition."""
    return [(scenario, control, *records.newest(scenario.name, control))
            for scenario in scenarios for control in options.congestion_controls
            if (scenario.name, control) in records.tables]


def print_report(options):
    if not options.report.exists():
        sys.exit(f"policies: file {options.report} does not exist")
    tables = tables_of(chosen(options), load(options.report, options.every, keep=False), options)
    print(report.LEGEND)
    for table in tables:
        report.print_table(*table)
    targets.print_summary(options.judge, tables)


def announce(options, scenarios, to_do, records):
    total = sum(batch.scenario.seconds + OVERHEAD for batch in to_do)
    print(f"{len(scenarios)} scenarios, {options.seeds} seeds, policies "
          f"{', '.join(options.policies)}: {len(to_do)} runs, about {total / 60:.0f} minutes, "
          f"until {time.strftime('%H:%M', time.localtime(time.time() + total))}")
    if records.builds() - {build_of(binary())}:
        print(f"{options.json} has figures of other builds of symcast, which are kept")
    if any(records.has_outdated(batch.scenario, batch.seed, lane)
           for batch in to_do for lane in batch.lanes):
        print(f"{options.json} has figures of another definition, which are measured again")
    print(report.LEGEND, flush=True)


def end_in_order():
    """SIGTERM ends the `with` blocks like a normal exit; a second SIGTERM does not interrupt this."""
    def end(*_):
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        sys.exit("policies: ended")

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def run(options, scenarios):
    records = load(options.json, options.every, keep=True)
    to_do = plan(scenarios, options.policies, options.congestion_controls, options.seeds, records)
    announce(options, scenarios, to_do, records)
    last = {batch.scenario.name: batch for batch in to_do}
    build = build_of(binary())

    def take(batch, results):
        records.add(batch.scenario, batch.seed,
                    {lane: {"build": build, **figures} for lane, figures in results.items()})
        if batch is last[batch.scenario.name]:
            for table in tables_of([batch.scenario], records, options):
                report.print_table(*table)

    measure(to_do, options.every, take, options.crowd)
    targets.print_summary(options.judge, tables_of(scenarios, records, options))


def main():
    options = parse()
    if options.list:
        for scenario in SCENARIOS:
            print(f"{scenario.name:<18}{scenario.what}")
        return
    if options.report:
        print_report(options)
        return
    reason = why_unavailable()
    if reason:
        sys.exit(f"policies: {reason}")
    scenarios = chosen(options)
    check_policies(scenarios[0], options.policies)
    end_in_order()
    raise_file_limit()
    run(options, scenarios)


main()
