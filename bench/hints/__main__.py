"""The benefit of the ssthresh hint (VideoRateSsthresh, paper 004) at a cold start: a 5 Mbit/s stream
over 15 Mbit/s with a drop-tail queue, with and without the hint. Prints retransmitted segments and
frame delay (capture to arrival of the last byte) in each viewer's first seconds, as medians over
joins, each on a fresh server. Needs root, to make network namespaces."""

import argparse
import pathlib
import statistics
import sys
import tempfile

from bench.hints.cold_start import ColdStart
from netlab.network import why_unavailable
from netlab.timeline import percentile


def median(joins, value):
    return statistics.median(value(join) for join in joins)


def main():
    parser = argparse.ArgumentParser(prog="hints", description=__doc__)
    parser.add_argument("--joins", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4, help="after each join")
    parser.add_argument("--rtt", type=float, nargs="+", default=[3, 100, 200], help="ms")
    parser.add_argument("--hint", type=float, nargs="+", default=[0, 1, 2],
                        help="multiples of the rate (tcp.ssthresh_hint)")
    parser.add_argument("--rate", default="15M", help="rate of the path")
    parser.add_argument("--queue", type=int, default=64_000, help="bytes, at the bottleneck")
    parser.add_argument("--congestion-control", nargs="+",
                        default=["reno", "cubic", "sym_vreno", "sym_libra"])
    options = parser.parse_args()
    reason = why_unavailable()
    if reason:
        sys.exit(f"hints: {reason}")

    print(f"5 Mbit/s over {options.rate}bit/s, queue {options.queue} bytes; medians of "
          f"{options.joins} joins, {options.seconds:g} s each; delays in ms")
    print(f"{'RTT':>6} {'':<10} {'hint':<5} {'ssthresh':>9} {'resent':>7} {'first frame':>14} "
          f"{'delay p50':>10} {'p95':>6} {'max':>6}")
    with tempfile.TemporaryDirectory() as directory:
        for rtt in options.rtt:
            for name in options.congestion_control:
                for hint in options.hint:
                    folder = pathlib.Path(directory) / f"{name}-{rtt}-{hint}"
                    joins = ColdStart(folder, name, hint, rate=options.rate, delay_ms=rtt / 2,
                                      queue_bytes=options.queue, up=f"delay={rtt / 2}ms"
                                      ).run(options.joins, options.seconds).joins
                    delay = lambda percent: median(  # noqa: E731
                        joins, lambda join: 1000 * percentile(join.delays, percent))
                    thresholds = {join.ssthresh for join in joins}
                    print(f"{rtt:>4g}ms {joins[0].congestion_control:<10} "
                          f"{hint:<5g} "
                          f"{'/'.join(str(t or '-') for t in sorted(thresholds, key=str)):>9} "
                          f"{median(joins, lambda join: join.retransmits):>7g} "
                          f"{1000 * median(joins, lambda join: join.first_frame):>14.0f} "
                          f"{delay(50):>10.0f} {delay(95):>6.0f} {delay(100):>6.0f}", flush=True)


main()
