#!/usr/bin/python3
"""TCP Libra (Marfia et al. 2007) between flows of different round trips, and beside Reno.

Fairness: one flow each of 30, 90 and 180 ms through one bottleneck, all with the same congestion
control. Jain's index is 1 when all get the same, 1/3 when one gets all; efficiency is the payload's
share of what the link carries. sym_libra is told the link's capacity, or measures it by itself.
Friendliness: one flow beside one of Reno with the same round trip. Needs root: it makes network
namespaces and loads eBPF programs."""

import argparse
import multiprocessing
import pathlib
import random
import statistics
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "steered"), str(FOLDER.parent / "tests" / "netlab")]

from netlab import Netlab, why_unavailable  # noqa: E402
from steered import PAYLOAD_SHARE, Flows  # noqa: E402

ROUND_TRIPS = [30, 90, 180]  # ms, paper 001


def jain(values):
    """Jain, Chiu and Hawe 1984."""
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def run(arguments):
    """Rates in bit/s, after the warm-up, of flows of these round trips and hints."""
    round_trips, hints, seed, options = arguments
    shared = [f"rate={options.rate}M queue={options.queue}k"]
    with Netlab(clients=len(round_trips), seed=seed, shared=shared) as lab:
        for client, round_trip in enumerate(round_trips):
            lab.set(client=client, both_delay=f"{round_trip / 2}ms")
        flows = Flows(lab)
        started = {}
        for client in random.Random(seed).sample(range(len(round_trips)), len(round_trips)):
            started[client] = flows.start(str(client), client, **hints[client])
            flows.receive(0.3)
        flows.receive(options.warm_up)
        begin = time.monotonic()
        flows.receive(options.seconds)
        end = time.monotonic()
        return [8 * (flow.bytes_at(end) - flow.bytes_at(begin)) / (end - begin)
                for _, flow in sorted(started.items())]


def many(pool, round_trips, hints, options):
    """One result of run() for each seed."""
    seeds = range(options.seed, options.seed + options.repeats)
    return pool.map(run, [(round_trips, hints, 1000 * seed, options) for seed in seeds],
                    chunksize=1)


def print_fairness(pool, contenders, options):
    print(f"\n{'Mbit/s':<24}" + "".join(f"{f'{rtt} ms':>10}" for rtt in ROUND_TRIPS)
          + f"{'Jain':>10}{'lowest':>10}{'efficiency':>12}")
    for what, hints in contenders:
        runs = many(pool, ROUND_TRIPS, [hints] * len(ROUND_TRIPS), options)
        rates = [statistics.mean(flow) for flow in zip(*runs)]
        indices = [jain(rates) for rates in runs]
        efficiency = sum(rates) / (options.rate * 1e6 * PAYLOAD_SHARE)
        print(f"{what:<24}" + "".join(f"{rate / 1e6:>10.2f}" for rate in rates)
              + f"{statistics.mean(indices):>10.3f}{min(indices):>10.3f}{efficiency:>12.1%}",
              flush=True)


def print_friendliness(pool, contenders, options):
    print(f"\n{'Mbit/s, beside reno':<24}" + "".join(f"{f'{rtt} ms':>20}" for rtt in ROUND_TRIPS))
    for what, hints in contenders:
        cells = []
        for round_trip in ROUND_TRIPS:
            runs = many(pool, [round_trip] * 2, [hints, {"congestion_control": "reno"}], options)
            own, other = (statistics.mean(flow) / 1e6 for flow in zip(*runs))
            cells.append(f"{own:.2f} : {other:.2f}")
        print(f"{what:<24}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=20, help="of the bottleneck, Mbit/s")
    parser.add_argument("--queue", type=float, default=250, help="kB; 250: 100 ms at 20 Mbit/s")
    parser.add_argument("--warm-up", type=float, default=20, help="seconds")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first run: the order of flows")
    parser.add_argument("--repeats", type=int, default=3, help="runs at once, each of another seed")
    options = parser.parse_args()
    reason = why_unavailable()
    if reason:
        sys.exit(f"libra: {reason}")

    told = {"congestion_control": "sym_libra", "capacity": int(options.rate * 1e6)}
    contenders = [("sym_libra, told", told),
                  ("sym_libra, measuring", {"congestion_control": "sym_libra"}),
                  ("reno", {"congestion_control": "reno"}),
                  ("cubic", {"congestion_control": "cubic"})]
    print(f"bottleneck {options.rate:g} Mbit/s, queue {options.queue:g} kB; "
          f"{options.repeats} runs of {options.seconds:g} s after {options.warm_up:g} s")
    with multiprocessing.Pool(options.repeats) as pool:
        print_fairness(pool, contenders, options)
        print_friendliness(pool, [contenders[0], contenders[2]], options)


main()
