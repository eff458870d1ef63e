"""The benefit of rate decreases: links with a 3 Mbit/s stream fall from 5 to 1 Mbit/s and return, with
the policies side by side in one run. Frame delay is from capture to arrival of the frame's last byte
at the viewer; a dropped frame is late until the next one that arrived. A viewer's queue holds 10 s, so
that the policies are compared and not the drop rule. Needs root, to make network namespaces."""

import argparse
import pathlib
import sys
import tempfile

from bench.retraction.capacity_step import POLICIES, SLOW_LINK, START_RATE, CapacityStep, Phases
from netlab.network import why_unavailable

SETTLE = 10  # seconds after the fall: cuts, and a drained queue
LATE = 0.5  # seconds
LONG_QUEUE = """
[server]
queue = "10s"
"""


def row(what, values):
    print(f"{what:<44}" + "".join(f"{value:>12}" for value in values))


def milliseconds(seconds):
    return f"{1000 * seconds:.0f} ms"


def after(seconds):
    return "never" if seconds is None else f"{seconds:.1f} s"


def recovery(step, policy, rise):
    if min(step.targets(policy, 0, rise)) == START_RATE:
        return "never left"
    return after(step.first_time(policy, rise, lambda rate: rate >= 0.9 * START_RATE))


def drained(delays, fall, rise):
    """Seconds from `fall` until the first whole second without a late frame; None if there is none
    before `rise`."""
    late = [when for when, delay in delays if fall <= when < rise and delay > LATE]
    if not late:
        return 0
    for begin, end in zip(late, [*late[1:], rise]):
        if end - begin > 1:
            return begin - fall
    return None


def print_phases(step, spans):
    for name, begin, end in spans:
        for percent in (50, 95):
            row(f"frame delay p{percent}, {name}",
                [milliseconds(step.delay(policy, percent, begin, end)) for policy in POLICIES])
    for name, begin, end in spans:
        row(f"encoder output, {name}",
            [f"{step.actual(policy, begin, end) / 1e6:.2f} Mb/s" for policy in POLICIES])


def main():
    parser = argparse.ArgumentParser(prog="retraction", description=__doc__)
    parser.add_argument("--before", type=float, default=8, help="seconds at 5 Mbit/s")
    parser.add_argument("--slow", type=float, default=20, help="seconds at 1 Mbit/s")
    parser.add_argument("--after", type=float, default=40, help="seconds at 5 Mbit/s again")
    options = parser.parse_args()
    if options.slow <= SETTLE + 1 or min(options.before, options.after) <= 2:
        parser.error(f"--slow has to be more than {SETTLE + 1}, --before and --after more than 2")
    reason = why_unavailable()
    if reason:
        sys.exit(f"retraction: {reason}")

    fall, rise = options.before, options.before + options.slow
    phases = Phases(fall, rise, rise + options.after)
    with tempfile.TemporaryDirectory() as directory:
        step = CapacityStep(pathlib.Path(directory), phases, LONG_QUEUE)

    print("link 5 -> 1 -> 5 Mbit/s, 20 ms each way, queue 32 kB, Cubic; stream 3 Mbit/s, 30 fps")
    row("", POLICIES)
    print_phases(step, [("5 Mbit/s", 2, fall),
                        (f"1 Mbit/s, first {SETTLE} s", fall, fall + SETTLE),
                        (f"1 Mbit/s, after {SETTLE} s", fall + SETTLE, rise),
                        ("5 Mbit/s again", rise, phases.end)])
    row("target below the slow link",
        [after(step.first_time(p, fall, lambda rate: rate < SLOW_LINK)) for p in POLICIES])
    row("delay below 500 ms again, still slow",
        [after(drained(step.delays[p], step.begin + fall, step.begin + rise)) for p in POLICIES])
    row("target at 90 % again, after the return", [recovery(step, policy, rise) for policy in POLICIES])
    row("frames that never arrived",
        [len(step.delays[policy]) - len(step.pictures[policy]) for policy in POLICIES])


main()
