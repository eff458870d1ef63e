"""The cost of many viewers, and the delay that they see: symcast in its default configuration, with
a 720p stream of 2 Mbit/s with audio, beside a bare epoll writer of the same rate that sends each frame at
once, or three frames in one write. All in one run, on loopback with the packets of an Ethernet (MTU 1500;
needs root, else with those of 64 KB).

CPU s/GB is the user and system time of the server for a delivered gigabyte: of all its threads, of its
event loops, the kernel's share of those, and of the rest, which decodes and encodes. The readers read all
that comes; up to 200 of them take the stream apart and time the frames. Delay is from the capture time
in the pictures (for the bare writer: its timestamps) to the arrival of the frame's last byte."""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass

from bench import crowd
from bench.crowd import FRAMES_PER_SECOND, SETTLE, SOURCE, TIMED
from bench.fanout.figures import Cost, Delay, thread_times
from bench.tools import bench_tool
from netlab.daemon import Daemon, free_port, wait_until
from netlab.network import open_socket, stop, tool

FEW = 100  # viewers before the memory for more is measured


@dataclass
class Result:
    name: str
    viewers: int
    cost: Cost
    delay: Delay
    served: float  # of the frames, by those that are timed
    least: float  # bytes of the viewer with the fewest, by the median
    errors: int
    readers: float  # cores that the readers take


class BareWriter:
    """The bare writer, with the part of Daemon's interface that is used here."""

    def __init__(self, frames_per_write, batched):
        self.port = free_port()
        self.process = subprocess.Popen([bench_tool("bare_epoll_writer"), str(self.port), str(frames_per_write),
                                         *(["io_uring"] if batched else [])])
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


def measure(name, server, url, options, viewers):
    """Lets `viewers` watch, and returns the costs of `options.seconds` of that."""
    with tempfile.TemporaryDirectory() as directory:
        recording = pathlib.Path(directory, "stream")
        client = subprocess.Popen(
            [tool("ts_client"), url, "--connections", str(viewers), "--timed", str(min(TIMED, viewers)),
             "--settle", str(SETTLE), "--seconds", str(SETTLE + options.seconds), "--record", recording],
            stdout=subprocess.PIPE, text=True)
        time.sleep(SETTLE)
        before, began = [thread_times(p.pid) for p in (server.process, client)], time.monotonic()
        time.sleep(options.seconds - 1)
        after, ended = [thread_times(p.pid) for p in (server.process, client)], time.monotonic()
        summary = json.loads(client.communicate()[0])
        offset = crowd.stream_offset(recording) if isinstance(server, Daemon) else 0
    connections, timed = summary["connections"], summary["timed"]
    gigabytes = connections["bytes_total"] / 1e9 / options.seconds * (ended - began)
    return Result(name, viewers, Cost.between(before[0], after[0]).per(gigabytes),
                  Delay.of(timed["lag_s"], offset),
                  timed["frames"] / (timed["connections"] * options.seconds * FRAMES_PER_SECOND),
                  connections["bytes_least"] / max(1, connections["bytes_median"]), timed["errors"],
                  Cost.between(before[1], after[1]).total / (ended - began))


def join_half_idle(daemon, connections, seconds):
    """Viewers of whom half read nothing."""
    return [subprocess.Popen([tool("ts_client"), daemon.url(), "--connections", str(connections // 2),
                              "--timed", "0", "--seconds", str(seconds), *more],
                             stdout=subprocess.PIPE, text=True)
            for more in ([], ["--stop-reading-after", "0"])]


def measure_memory(connections, seconds):
    """Prints the server's memory for a connection if half of the viewers read nothing. The memory
    for a few viewers, such as that of two encoders, does not count."""
    config = crowd.config(connections + 1, rate="500k", stall_timeout="1h")
    with tempfile.TemporaryDirectory() as directory, \
            Daemon("--source", SOURCE, config=config, directory=directory) as daemon:
        clients = join_half_idle(daemon, FEW, 2 * SETTLE + seconds)
        time.sleep(SETTLE)
        before = daemon.resident_bytes()
        clients += join_half_idle(daemon, connections - FEW, SETTLE + seconds)
        time.sleep(SETTLE + seconds - 1)
        each = (daemon.resident_bytes() - before) / 1024 / (connections - FEW)
        still = [json.loads(client.communicate()[0])["connections"]["open"] for client in clients]
    print(f"{still[0] + still[2]} viewers who read and {still[1] + still[3]} who do not: {each:.1f} KiB for "
          f"each, beyond {before / 2**20:.0f} MiB with {FEW}", flush=True)


def run_bare(name, frames_per_write, options, viewers, batched=False):
    with BareWriter(frames_per_write, batched) as writer:
        return measure(name, writer, writer.url(), options, viewers)


def run_symcast(container, options, viewers, telemetry=True):
    config = crowd.config(viewers + 1) + ("" if telemetry else crowd.NO_TELEMETRY)
    name = f"symcast .{container}" + ("" if telemetry else ", blind")
    with tempfile.TemporaryDirectory() as directory:
        with Daemon("--source", SOURCE, config=config, directory=directory) as daemon:
            return measure(name, daemon, daemon.url(container=container), options, viewers)


def print_head():
    print(f"{'':<22}{'viewers':>8} |{'CPU s/GB':>9}{'loops':>7}{'kernel':>8}{'rest':>7} |{'p50':>6}{'p95':>6}"
          f"{'p99':>6} ms |{'served':>8}{'worst':>7} |{'readers':>8}")


def print_row(r):
    print(f"{r.name:<22}{r.viewers:>8} |{r.cost.total:>9.2f}{r.cost.loops:>7.2f}{r.cost.kernel:>8.2f}"
          f"{r.cost.rest:>7.2f} |{r.delay.p50:>6.0f}{r.delay.p95:>6.0f}{r.delay.p99:>6.0f}    |"
          f"{100 * r.served:>6.1f} %{100 * r.least:>5.0f} % |{r.readers:>8.2f}"
          + (f"  {r.errors} errors" if r.errors else ""), flush=True)


def print_ratios(results, viewers):
    loops = {name: statistics.median(r.cost.loops for r in results if r.name == name)
             for name in sorted({r.name for r in results})}
    often, seldom = loops.pop("bare, 33 ms"), loops.pop("bare, 100 ms")
    for name, cost in loops.items():
        print(f"{viewers} viewers, {name}: loops {cost / often:.2f} x the bare writer of 33 ms, "
              f"{cost / seldom:.2f} x that of 100 ms")


def main():
    parser = argparse.ArgumentParser(prog="fanout", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, nargs="*", default=[100, 1000, 2000, 4000])
    parser.add_argument("--seconds", type=float, default=20, help="of each measurement")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--containers", nargs="+", default=["ts", "flv"], choices=["ts", "flv"])
    parser.add_argument("--blind", action="store_true",
                        help="also with the server's telemetry turned off, which then knows nothing of its viewers")
    parser.add_argument("--batched", action="store_true",
                        help="also bare writers that send to all viewers with a few system calls (io_uring)")
    parser.add_argument("--connections", type=int, nargs="*", default=[10000],
                        help="also measure the memory for as many, half of which do not read")
    options = parser.parse_args()
    mtu = crowd.enter_namespace("fanout")
    crowd.raise_file_limit()

    print(f"2 Mbit/s, {options.repeats} x {options.seconds:g} s, MTU {mtu}")
    print_head()
    for viewers in options.viewers:
        results = []
        for _ in range(options.repeats):
            results.append(run_bare("bare, 33 ms", 1, options, viewers))
            print_row(results[-1])
            results.append(run_bare("bare, 100 ms", 3, options, viewers))
            print_row(results[-1])
            if options.batched:
                for name, frames in (("bare, 33 ms, batched", 1), ("bare, 100 ms, batched", 3)):
                    results.append(run_bare(name, frames, options, viewers, batched=True))
                    print_row(results[-1])
            for container in options.containers:
                results.append(run_symcast(container, options, viewers))
                print_row(results[-1])
            if options.blind:
                results.append(run_symcast(options.containers[0], options, viewers, telemetry=False))
                print_row(results[-1])
        print_ratios(results, viewers)
    for connections in options.connections:
        measure_memory(connections, options.seconds)


main()
