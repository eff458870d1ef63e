"""CPU seconds that a server spends per delivered GB, with many viewers of a 2 Mbit/s stream: symcast
and a bare epoll writer run alternately, on loopback.

symcast's figure is printed raw, and net, without the CPU time of encoding, which is that of a run with
one viewer. The bare writer encodes nothing."""

import argparse
import json
import statistics
import subprocess
import tempfile
import time

from bench.tools import bench_tool
from netlab.daemon import Daemon, free_port, wait_until
from netlab.network import open_socket, stop, tool

CONFIG = """
[groups]
max = 1
[audio]
enabled = false
[encoder]
preset = "ultrafast"
[rate]
start = "2M"
min = "2M"
max = "2M"
"""
# Noise makes the encoder spend its whole rate; small frames and a fast preset keep encoding cheap, so
# that most of the CPU time is fan-out.
SOURCE = "live=test:?size=192x108&content=noise"


class BareWriter:
    """The bare writer, with the part of Daemon's interface that is used here."""

    def __init__(self):
        self.port = free_port()
        self.process = subprocess.Popen([bench_tool("bare_epoll_writer"), str(self.port)])
        wait_until(self._is_up, 5, "the bare writer listens")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        stop(self.process)

    def _is_up(self):
        with open_socket(None) as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def url(self):
        return f"http://127.0.0.1:{self.port}/live.ts"

    cpu_seconds = Daemon.cpu_seconds


def measure(server, url, viewers, seconds):
    """CPU time that the server spends on `viewers` that join, watch and leave."""
    cpu, begin = server.cpu_seconds(), time.monotonic()
    client = subprocess.run([tool("ts_client"), url, "--connections", str(viewers),
                             "--seconds", str(seconds)],
                            stdout=subprocess.PIPE, text=True, check=True)
    took = time.monotonic() - begin
    summary = json.loads(client.stdout)
    connections = summary["connections"]
    return {"cpu": server.cpu_seconds() - cpu, "seconds": took,
            "gb": connections["bytes_total"] / 1e9, "served": connections["answered_200"],
            "least": connections["bytes_least"] / connections["bytes_median"],
            "longest_wait": summary["longest_wait_s"]}


def run_symcast(viewers, seconds, container):
    with tempfile.TemporaryDirectory() as directory:
        with Daemon("--source", SOURCE, config=CONFIG, directory=directory) as daemon:
            return measure(daemon, daemon.url(container=container), viewers, seconds)


def run_bare(viewers, seconds):
    with BareWriter() as writer:
        return measure(writer, writer.url(), viewers, seconds)


def print_row(name, result, per_gb):
    print(f"{name:<22}{result['served']:>8}{result['gb']:>9.3f}{result['cpu']:>9.2f}"
          f"{per_gb:>12.3f}{100 * result['least']:>11.0f} %", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="fanout", description=__doc__)
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=20, help="of each run")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--containers", nargs="+", default=["ts", "flv", "mp4"],
                        choices=["ts", "flv", "mp4"])
    options = parser.parse_args()

    print(f"{options.viewers} viewers of 2 Mbit/s, {options.repeats} x {options.seconds:g} s each, "
          "loopback (MTU 65536); server's user and system time")
    print(f"{'':<22}{'served':>8}{'GB':>9}{'CPU s':>9}{'CPU s/GB':>12}{'worst viewer':>13}")
    bare = []
    raw = {container: [] for container in options.containers}
    net = {container: [] for container in options.containers}
    for _ in range(options.repeats):
        result = run_bare(options.viewers, options.seconds)
        bare.append(result["cpu"] / result["gb"])
        print_row("bare epoll writer", result, bare[-1])
        alone = run_symcast(1, options.seconds, "ts")
        encoding = alone["cpu"] / alone["seconds"]
        print(f"{'symcast, one viewer':<22}{'':>8}{'':>9}{alone['cpu']:>9.2f}", flush=True)
        for container in options.containers:
            result = run_symcast(options.viewers, options.seconds, container)
            raw[container].append(result["cpu"] / result["gb"])
            print_row(f"symcast .{container}", result, raw[container][-1])
            net[container].append((result["cpu"] - encoding * result["seconds"]) / result["gb"])
            print_row("  net of one viewer",
                      {**result, "cpu": net[container][-1] * result["gb"]}, net[container][-1])

    middle = statistics.median(bare)
    print(f"medians, CPU s/GB: bare {middle:.3f}")
    for container in options.containers:
        of_raw, of_net = statistics.median(raw[container]), statistics.median(net[container])
        print(f"  .{container:<4} raw {of_raw:.3f}, net {of_net:.3f}; ratio to bare: raw "
              f"{of_raw / middle:.2f}, net {of_net / middle:.2f}")


main()
