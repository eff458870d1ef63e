"""The experiment: links fall from 5 to 1 Mbit/s and return. All policies run side by side, each with its
own stream and link.

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
START_RATE = 3e6  # bit/s: below a 5 Mbit/s link, and three times a 1 Mbit/s link
SLOW_LINK = 1e6  # bit/s

# With noise the encoder always spends its whole rate.
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
    """Runs the experiment when constructed; then holds the measurements of each policy."""

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
        """The encoder's target rates in a span of time, bit/s."""
        return between(self.rates[policy].targets, self.begin + begin, self.begin + end)

    def actual(self, policy, begin, end):
        """Mean of the encoder's output, bit/s; each value is itself a mean over one second."""
        values = between(self.rates[policy].actuals, self.begin + begin + 1, self.begin + end)
        return sum(values) / len(values)

    def delay(self, policy, percent, begin, end):
        """A percentile of the delays of frames captured in a span of time, seconds."""
        return percentile(between(self.delays[policy], self.begin + begin, self.begin + end),
                          percent)

    def first_time(self, policy, after, condition):
        """Seconds from `after` until the target meets `condition`; None if it never does."""
        for when, value in self.rates[policy].targets:
            if when >= self.begin + after and condition(value):
                return when - self.begin - after
        return None
