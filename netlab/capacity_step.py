"""The experiment of the congestion test and of bench/retraction: links that fall from 5 to 1 Mbit/s
and return, with the policies beside each other, each stream behind a link of its own.

    5 Mbit/s        1 Mbit/s        5 Mbit/s
    0 ........ fall ........ rise ........ end     seconds from the viewers' start
"""

import time
from contextlib import ExitStack
from dataclasses import dataclass

from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.timeline import RateWatch, between, percentile, picture_delays, read_trace
from netlab.viewer import Viewer

POLICIES = ("off", "itcp", "symbiosis")
START_RATE = 3e6  # bit/s: leaves a 5 Mbit/s link room, and is three times a 1 Mbit/s one
SLOW_LINK = 1e6  # bit/s

# Noise is what an encoder always spends its whole rate on.
CONFIG = """
[rate]
start = "3M"
max = "3M"
min = "200k"
[tcp]
congestion_control = "cubic"
"""
STREAM = """
[[stream]]
name = "{policy}"
source = {{ uri = "test:?size=640x360&content=noise" }}
control = {{ policy = "{policy}" }}
"""


@dataclass(frozen=True)
class Phases:
    fall: float
    rise: float
    end: float


class CapacityStep:
    """Runs it; then holds what was seen, per policy."""

    def __init__(self, directory, phases, more_config=""):
        self.phases = phases
        trace = directory / "trace"
        config = CONFIG + more_config + "".join(STREAM.format(policy=p) for p in POLICIES)
        with Netlab(clients=len(POLICIES), rate="5M", delay_ms=20, queue_bytes=32000) as lab:
            with Daemon("--trace", str(trace), directory=directory, config=config,
                        lab=lab) as daemon:
                self._watch(lab, daemon, directory)
        self.delays = {policy: picture_delays(self.pictures[policy], read_trace(trace, policy))
                       for policy in POLICIES}

    def _watch(self, lab, daemon, directory):
        viewers = {policy: Viewer(daemon.url(policy, ip=lab.clients[i].server_ip), lab=lab,
                                  client=i, directory=directory, name=policy)
                   for i, policy in enumerate(POLICIES)}
        self.begin = time.monotonic()
        with ExitStack() as watches:
            self.rates = {policy: watches.enter_context(RateWatch(daemon, policy))
                          for policy in POLICIES}
            self._sleep_until(self.phases.fall)
            lab.set(down_rate="1M")
            self._sleep_until(self.phases.rise)
            lab.set(down_rate="5M")
            self._sleep_until(self.phases.end)
        self.metrics = daemon.metrics()
        self.pictures = {policy: viewer.pictures() for policy, viewer in viewers.items()}
        self.summaries = {policy: viewer.finish() for policy, viewer in viewers.items()}

    def _sleep_until(self, seconds):
        time.sleep(max(0, self.begin + seconds - time.monotonic()))

    def targets(self, policy, begin, end):
        """Rates asked of the encoder in a span of time, bit/s."""
        return between(self.rates[policy].targets, self.begin + begin, self.begin + end)

    def actual(self, policy, begin, end):
        """Mean of the encoder's output, bit/s; it is a mean over one second itself."""
        values = between(self.rates[policy].actuals, self.begin + begin + 1, self.begin + end)
        return sum(values) / len(values)

    def delay(self, policy, percent, begin, end):
        """A percentile of the delays of the pictures captured in a span of time, seconds."""
        return percentile(between(self.delays[policy], self.begin + begin, self.begin + end),
                          percent)

    def first_time(self, policy, after, condition):
        """Seconds from `after` until the target meets `condition`; None: never."""
        for when, value in self.rates[policy].targets:
            if when >= self.begin + after and condition(value):
                return when - self.begin - after
        return None
