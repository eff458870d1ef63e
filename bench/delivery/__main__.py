"""Accuracy of the delivery times of frames, and of the path's capacity as measured by packet trains and
by the kernel's delivery rate: a stream of 2 Mbit/s over links of 5 Mbit/s.

error: the server's delivery time, minus the arrival that the viewer recorded and the way back; with
ACK timestamps (`timestamp`) and without (`tcp_info`), in two runs. trains: bits of a frame's tail
divided by the time between the frame's two ACKs, as a running median. Needs root, to make network
namespaces."""

import argparse
import pathlib
import statistics
import sys
import tempfile
import time

from netlab.delivery_run import FOLLOWED_SECONDS, JOIN_SECONDS, LINK, PAYLOAD, DeliveryRun, Path
from netlab.network import why_unavailable
from netlab.timeline import percentile

PATHS = [Path(congestion_control, loss)
         for congestion_control in ("cubic", "bbr") for loss in (0, 0.02)]
WITH, WITHOUT = 2000, 0  # ACK timestamps per second


def run(round_trip_ms, seconds, marks):
    """({path: Seen}, {viewer number: delivery rates})"""
    with tempfile.TemporaryDirectory() as directory:
        with DeliveryRun(pathlib.Path(directory), PATHS, round_trip_ms / 2, marks) as going:
            time.sleep(JOIN_SECONDS)
            going.widen()
            rates = going.delivery_rates(FOLLOWED_SECONDS + seconds)
            return going.finish(), rates


def percentiles(values, percents, scale):
    if not values:
        return "none"
    return " / ".join(f"{scale * percentile(values, percent):.2f}" for percent in percents)


def print_row(columns):
    print("".join(f"{text:>{width}}" for text, width in zip(columns, (8, 8, 7, 9, 26, 26, 22, 18))),
          flush=True)


def main():
    parser = argparse.ArgumentParser(prog="delivery", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, help="of each run")
    options = parser.parse_args()
    reason = why_unavailable()
    if reason:
        sys.exit(f"delivery: {reason}")

    print(f"link {LINK / 1e6:g} Mbit/s, TCP payload {PAYLOAD / 1e6:.2f}; queue 100 ms; "
          "stream 2 Mbit/s, 30 frames/s; 2.5 Mbit/s while the viewers join")
    print_row(("RTT ms", "control", "loss", "frames", "timestamp error ms", "tcp_info error ms",
               "trains Mbit/s", "delivery_rate"))
    print_row(("", "", "", "", "p5 / p50 / p95", "p5 / p50 / p95", "p10 / p50 / p90",
               "p50 / max"))
    for round_trip_ms in (10, 50, 100):
        marked, rates = run(round_trip_ms, options.seconds, WITH)
        unmarked, _ = run(round_trip_ms, options.seconds, WITHOUT)
        for path in PATHS:
            seen = marked[path]
            delivery_rates = rates[seen.viewer]
            print_row((f"{round_trip_ms}", path.congestion_control, f"{100 * path.loss:g} %",
                       seen.pictures,
                       percentiles(seen.errors["timestamp"], (5, 50, 95), 1e3),
                       percentiles(unmarked[path].errors["tcp_info"], (5, 50, 95), 1e3),
                       percentiles(seen.capacities, (10, 50, 90), 1e-6),
                       f"{statistics.median(delivery_rates) / 1e6:.2f} / "
                       f"{max(delivery_rates) / 1e6:.2f}"))


main()
