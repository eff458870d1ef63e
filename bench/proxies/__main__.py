"""The cost of a proxy in front of the server: a viewer's link falls from 5 Mbit/s to 800 kbit/s for a while
and returns. The delay of a frame is its lateness beyond the earliest frame of the run. The proxies have
their usual configuration (netlab/proxies.py). Needs root, to make network namespaces."""

import argparse
import pathlib
import statistics
import sys
import tempfile
import time

from bench.policies.health import CpuWatch
from netlab import proxies
from netlab.daemon import Daemon
from netlab.network import Netlab, why_unavailable
from netlab.timeline import percentile
from netlab.viewer import Viewer

WAYS = {"direct": None, "haproxy, mode tcp": proxies.haproxy, "nginx": proxies.forwarding_nginx,
        "caddy": proxies.caddy}
CONFIG = '[server]\ntrusted_proxies = ["127.0.0.1"]\n'
SOURCE = "live=test:?size=640x360&content=noise"
SETTLE = 8  # seconds before the fall


def watch(proxy, seconds, directory):
    """The delays of all frames, and the rate that the server believed in while the link was slow."""
    with Netlab(rate="5M", delay_ms=20, queue_bytes=64000) as lab:
        with Daemon("--source", SOURCE, directory=directory, config=CONFIG, lab=lab) as daemon:
            if proxy is None:
                return play(lab, daemon, daemon.port, seconds, directory)
            with proxy(directory / "proxy", daemon, lab=lab) as front:
                return play(lab, daemon, front.port, seconds, directory)


def play(lab, daemon, port, seconds, directory):
    with Viewer(f"http://{lab.server_ip}:{port}/live.ts", lab=lab, directory=directory) as viewer:
        viewer.receive(10)
        time.sleep(SETTLE)
        lab.set(down_rate="800k")
        time.sleep(seconds)
        believed = daemon.metrics().sum("symcast_viewer_rate_target_bits_per_second")
        lab.set(down_rate="5M")
        time.sleep(seconds)
        pictures = viewer.pictures()
    ages = [picture["arrival_ns"] / 1e9 - picture["pts"] for picture in pictures]
    return [age - min(ages) for age in ages], believed


def main():
    parser = argparse.ArgumentParser(prog="proxies", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20, help="of the slow link, and after it")
    options = parser.parse_args()
    if reason := why_unavailable():
        sys.exit(f"proxies: {reason}")
    print(f"medians of {options.runs} runs; link of 5 Mbit/s, 0.8 for {options.seconds:g} s\n")
    print("| in front | delay p50 | p95 | most | rate on the slow link |")
    print("|---|---|---|---|---|")
    cpu = CpuWatch()
    for name, proxy in WAYS.items():
        rows = []
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as directory:
                delays, believed = watch(proxy, options.seconds, pathlib.Path(directory))
            rows.append([*(1000 * percentile(delays, percent) for percent in (50, 95, 100)), believed / 1e6])
        p50, p95, most, rate = (statistics.median(column) for column in zip(*rows))
        print(f"| {name} | {p50:.0f} ms | {p95:.0f} ms | {most:.0f} ms | {rate:.1f} Mbit/s |", flush=True)
    print(f"\nmachine {cpu.busy():.0%} busy")


main()
