"""How fast and how reliably congestion events reach the controller, from each event source: viewers are
behind links that lose packets and carry nothing for a second. The reference is a second eBPF program
on the same sockets, read by a process that does nothing else (`bare reader`). Latency counts from the
event in the kernel: to the controller, and to the new target of the viewer's private encoder. Needs
root, to make network namespaces."""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from bench.tools import bench_tool
from netlab.event_run import EventRun
from netlab.network import why_unavailable
from netlab.timeline import percentile

SOURCES = ("tracepoint", "sockops", "tcp_info")
KINDS = ("rexmt", "dupack")
START_SECONDS = 1  # until event_watch has found the sockets
EARLIEST, LATEST = -0.001, 1.0  # seconds after an event in which its report has to arrive


class Truth:
    """event_watch next to a server."""

    def __init__(self, daemon):
        self._process = subprocess.Popen(
            [bench_tool("event_watch"), str(daemon.process.pid), str(daemon.port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        time.sleep(START_SECONDS)
        self.begin = time.monotonic()

    def events(self):
        out, _ = self._process.communicate()
        return [event for event in map(json.loads, out.splitlines()) if event["at"] > self.begin]


def by_viewer(trace_directory):
    """{address: (events, decisions)} from the traces; each session has its own trace."""
    result = {}
    for path in trace_directory.glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        events = [line for line in lines if line["event"] == "congestion"]
        decisions = [line for line in lines if line["event"] == "decision"
                     and line["reason"] in KINDS]
        result[lines[0]["address"]] = events, decisions
    return result


def match(truths, reported):
    """(latencies of reported events, number of missed events, number of surplus reports)"""
    left = collections.deque(sorted(reported))
    latencies, missed, surplus = [], 0, 0
    for at in sorted(truths):
        while left and left[0] < at + EARLIEST:
            left.popleft()
            surplus += 1
        if left and left[0] < at + LATEST:
            latencies.append(left.popleft() - at)
        else:
            missed += 1
    return latencies, missed, surplus + len(left)


class Result:
    """Reports and latencies of one event source, over all viewers."""

    def __init__(self, run, truth, begin):
        self.latencies, self.retargets = [], []
        self.missed = self.surplus = 0
        self.events = len([e for e in truth if e["kind"] in KINDS])
        self.bare = [e["seen"] - e["at"] for e in truth]
        for address, (reported, decisions) in by_viewer(run.directory / "trace").items():
            mine = [e for e in truth if e["viewer"].rsplit(":", 1)[0] == address]
            for kind in KINDS:
                at = [e["at"] for e in mine if e["kind"] == kind]
                seen = [e["seen"] for e in reported if e["kind"] == kind and e["seen"] > begin]
                latencies, missed, surplus = match(at, seen)
                self.latencies += latencies
                self.missed += missed
                self.surplus += surplus
                for decision in (d for d in decisions if d["reason"] == kind):
                    before = [t for t in at if t <= decision["at"]]
                    if before:
                        self.retargets.append(decision["at"] - max(before))


def milliseconds(values, percent):
    return f"{1000 * percentile(values, percent):.2f} ms" if values else "-"


def main():
    parser = argparse.ArgumentParser(prog="events", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="per source")
    parser.add_argument("--viewers", type=int, default=8)
    parser.add_argument("--loss", default="0.02", help="share of packets lost on the way down")
    parser.add_argument("--congestion-control", default="cubic")
    options = parser.parse_args()
    reason = why_unavailable()
    if reason:
        sys.exit(f"events: {reason}")

    results = {}
    with tempfile.TemporaryDirectory() as directory:
        for source in SOURCES:
            with EventRun(source, pathlib.Path(directory) / source, viewers=options.viewers,
                          congestion_control=options.congestion_control, rate="10M",
                          delay_ms=20, loss=options.loss) as run:
                truth = Truth(run.daemon)
                run.run(options.seconds)
                results[source] = Result(run, truth.events(), truth.begin)
            print(f"{source}: {run.daemon.log().splitlines()[0]}", file=sys.stderr)

    print(f"{options.viewers} viewers of 1.5 Mbit/s, 10 Mbit/s each, RTT 40 ms, "
          f"loss {options.loss}, {options.congestion_control}; {options.seconds:.0f} s per source")
    rows = [("REXMT and DUPACK in the kernel", lambda r: r.events),
            ("not reported", lambda r: r.missed),
            ("reported twice, or without an event", lambda r: r.surplus),
            ("kernel to controller p50", lambda r: milliseconds(r.latencies, 50)),
            ("kernel to controller p99", lambda r: milliseconds(r.latencies, 99)),
            ("retractions", lambda r: len(r.retargets)),
            ("event to retargeted encoder p50", lambda r: milliseconds(r.retargets, 50)),
            ("event to retargeted encoder p99", lambda r: milliseconds(r.retargets, 99)),
            ("kernel to bare reader p50", lambda r: milliseconds(r.bare, 50)),
            ("kernel to bare reader p99", lambda r: milliseconds(r.bare, 99))]
    print(f"{'':<38}" + "".join(f"{source:>12}" for source in SOURCES))
    for what, value in rows:
        print(f"{what:<38}" + "".join(f"{value(results[source]):>12}" for source in SOURCES))


main()
