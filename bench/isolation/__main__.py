"""How much a slow viewer affects the others of its stream: the links of all viewers carry 20 Mbit/s, and
one of them falls to 400 kbit/s half-way. Frame delay is from capture to arrival of the frame's last byte
at the viewer; a frame that never arrived is late until the next one that did. Needs root, to make network
namespaces."""

import argparse
import pathlib
import sys
import tempfile
import time

from bench.policies.health import CpuWatch, WakeupWatch
from netlab.daemon import Daemon
from netlab.network import Netlab, why_unavailable
from netlab.timeline import between, percentile, picture_delays, read_sessions
from netlab.viewer import Viewer

SETTLE = 2  # seconds that are not counted, at the start and after the fall
SLOW = 0  # index of the slow viewer
CONFIG = """
[groups]
max = 2
[rate]
start = "1500k"
max = "1500k"
min = "200k"
[tcp]
congestion_control = "cubic"
[[stream]]
name = "live"
source = {{ uri = "test:?size=640x360&content=noise" }}
control = {{ policy = "{policy}" }}
"""


class Run:
    """Runs when constructed; then holds the measurements of each viewer, by phase."""

    def __init__(self, options, directory):
        trace = directory / "trace"
        config = CONFIG.format(policy=options.policy)
        with Netlab(clients=options.viewers, rate="20M", delay_ms=10, queue_bytes=64000) as lab:
            with Daemon("--trace", str(trace), directory=directory, config=config,
                        lab=lab) as daemon:
                self._watch(options, lab, daemon, directory)
        sessions = read_sessions(trace)
        self._delays = [picture_delays(pictures, sessions[client.address])
                        for pictures, client in zip(self._pictures, lab.clients)]

    def _watch(self, options, lab, daemon, directory):
        wakeups, cpu = WakeupWatch(), CpuWatch()
        viewers = [Viewer(daemon.url(ip=client.server_ip), lab=lab, client=i, directory=directory,
                          name=f"viewer{i}")
                   for i, client in enumerate(lab.clients)]
        self.phases = [self._phase(options.seconds)]
        lab.set(client=SLOW, down_rate="400k")
        self.phases.append(self._phase(options.seconds))
        self._pictures = [viewer.pictures() for viewer in viewers]
        self.gaps = [viewer.finish()["gaps"] for viewer in viewers]
        late = daemon.metrics().sum("symcast_group_frames_late_total")
        self.machine = (f"machine {cpu.busy():.0%} busy, wake-ups {1000 * wakeups.stop():.1f} ms "
                        f"late at p99, {late:.0f} frames too late to encode")

    @staticmethod
    def _phase(seconds):
        time.sleep(SETTLE)
        begin = time.monotonic()
        time.sleep(seconds)
        return begin, time.monotonic()

    def rate(self, viewer, begin, end):
        """bit/s of video."""
        samples = [(picture["arrival_ns"] / 1e9, picture["bytes"])
                   for picture in self._pictures[viewer]]
        return 8 * sum(between(samples, begin, end)) / (end - begin)

    def delay(self, viewer, percent, begin, end):
        """A percentile of the delays of frames captured in a span of time; None without frames."""
        delays = between(self._delays[viewer], begin, end)
        return percentile(delays, percent) if delays else None

    def longest_wait(self, viewer, begin, end):
        """Longest time without a frame, seconds."""
        arrivals = [picture["arrival_ns"] / 1e9 for picture in self._pictures[viewer]]
        times = [begin, *(at for at in arrivals if begin <= at < end), end]
        return max(later - earlier for earlier, later in zip(times, times[1:]))


def milliseconds(seconds):
    return "-" if seconds is None else f"{1000 * seconds:.0f}"


def columns(run, viewer, phase):
    return "".join(f"{text:>10}" for text in (
        f"{run.rate(viewer, *phase) / 1e6:.2f}",
        *(milliseconds(run.delay(viewer, percent, *phase)) for percent in (50, 95)),
        milliseconds(run.longest_wait(viewer, *phase))))


def main():
    parser = argparse.ArgumentParser(prog="isolation", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=10, help="[%(default)s]")
    parser.add_argument("--seconds", type=float, default=20, help="of each half [%(default)s]")
    parser.add_argument("--policy", default="symbiosis", help="[%(default)s]")
    options = parser.parse_args()
    reason = why_unavailable()
    if reason:
        sys.exit(f"isolation: {reason}")
    with tempfile.TemporaryDirectory() as directory:
        run = Run(options, pathlib.Path(directory))
    print(f"{options.viewers} viewers of 1.5 Mbit/s, 20 Mbit/s each; then {SLOW} has 400 kbit/s; "
          "delays and the longest wait for a frame in ms")
    print(f"{'':<8}" + "".join(f"{half:>40}" for half in ("all links fast", f"{SLOW} is slow")))
    print(f"{'viewer':<8}" + 2 * f"{'Mbit/s':>10}{'p50':>10}{'p95':>10}{'wait':>10}"
          + f"{'gaps':>8}")
    for viewer in range(options.viewers):
        print(f"{viewer:<8}" + "".join(columns(run, viewer, phase) for phase in run.phases)
              + f"{run.gaps[viewer]:>8}")
    print(f"# {run.machine}")


main()
