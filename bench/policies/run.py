"""One run of a scenario: a server, and for each lane a stream, one or more viewers, and a link. The
links of all lanes do the same at the same moment.

    server's namespace            link, one per lane           client's namespace
    stream "off-cubic"   ---- [ queue, rate, loss, delay ] ----  viewer, viewer, bulk flow
    stream "itcp-cubic"  ---- [ the same               ] ----  ...
"""

import itertools
import re
import time
from contextlib import ExitStack
from dataclasses import dataclass

from bench.policies.bulk_flow import BulkFlow
from bench.policies.crowd import Crowd, TraceReader, crowd_config
from bench.policies.health import PRIORITY, Health
from bench.policies.scenarios import CEILING, MBIT
from netlab.daemon import Daemon
from netlab.network import Netlab
from netlab.viewer import Viewer

JOIN_APART = 2  # seconds between viewers behind one link
# Small frames and a fast preset let six encoders fit on two cores. The target quality is so high that
# moving content always takes the whole rate (measured: 6 Mbit/s at CRF 8, 1.1 at 18). Still content
# limits its rate by itself.
PRESET = "ultrafast"
CRF = {"motion": 8, "static": 18}
# Bit/s. Policies that estimate the capacity start low and have to find it. Policies that climb by a
# fixed rule, or not at all, begin at the configured rate, as a broadcast does: a run of 30 s would be
# over before they had climbed there.
START = 2 * MBIT
CLIMBS_BY_RULE = ("off", "itcp", "dbr", "gcc")
# Higher priority keeps other work of the machine out of the measurement.
NICE = ("nice", "-n", str(PRIORITY))

CONFIG = """
[rate]
min = "300k"
max = "{ceiling}"
[groups]
max = {viewers}
[encoder]
preset = "{preset}"
crf = {crf}
"""
STREAM = """
[[stream]]
name = "{name}"
source = {{ uri = "test:{source}" }}
rate = {{ start = "{start}" }}
control = {{ policy = "{policy}" }}
tcp = {{ {tcp} }}
"""


@dataclass(frozen=True)
class Lane:
    policy: str  # POLICY, or POLICY/KEY=VALUE/... with keys of [tcp]
    congestion_control: str

    @property
    def name(self):
        """The lane's name, valid as a stream name."""
        return re.sub("[^a-z0-9]+", "-", f"{self.policy}-{self.congestion_control}")

    @property
    def control(self):
        """control.policy"""
        return self.policy.split("/")[0]

    @property
    def tcp(self):
        """The table [tcp], inline."""
        options = {"congestion_control": self.congestion_control}
        options |= dict(option.partition("=")[::2] for option in self.policy.split("/")[1:])
        return ", ".join(f"{key} = {_toml(value)}" for key, value in options.items())

    @property
    def start(self):
        """The encoder's start rate, bit/s."""
        return CEILING if self.control in CLIMBS_BY_RULE else START


def _toml(value):
    return value if re.fullmatch(r"[0-9.]+", value) else f'"{value}"'


def source_options(scenario):
    """Options of the test source, as in its URI."""
    return f"?size=640x360&content={scenario.content}"


def config_of(scenario, lanes, crowd=0):
    common = CONFIG.format(ceiling=int(CEILING), viewers=scenario.viewers, preset=PRESET,
                           crf=CRF[scenario.content])
    return common + "".join(
        STREAM.format(name=lane.name, source=source_options(scenario), policy=lane.control,
                      tcp=lane.tcp, start=int(lane.start))
        for lane in lanes) + crowd_config(crowd)


class Run:
    """Runs when constructed. Then has, for each lane, the viewers' records (`pictures` and `summaries`,
    lists with one entry per viewer) and `competitors` (a list of flows), and the `health` of the machine. The directory
    has the trace and the recordings. `crowd`: viewers of one more stream, on the server's loopback."""

    def __init__(self, scenario, lanes, seed, directory, crowd=0):
        self.scenario = scenario
        self.lanes = lanes
        self.capacity = scenario.capacity(seed)
        self.trace = directory / "trace"
        self._directory = directory
        self._viewers = {lane: [] for lane in lanes}
        self.competitors = {}
        with ExitStack() as around:
            lab = around.enter_context(self._lab(seed))
            # With a crowd, --trace would write a file for each of them.
            options = () if crowd else ("--trace", str(self.trace))
            daemon = around.enter_context(
                Daemon(*options, directory=directory, lab=lab, config=config_of(scenario, lanes, crowd),
                       wrapper=NICE))
            if crowd:
                self.trace.mkdir()
                for lane in lanes:
                    around.enter_context(TraceReader(daemon, lane.name, self.trace))
                around.enter_context(Crowd(lab, daemon, crowd))
            self._watch(lab, daemon)

    def _lab(self, seed):
        scenario = self.scenario
        one_way = scenario.rtt_ms / 2
        return Netlab(clients=len(self.lanes), seed=1000 * seed, alike=True,
                      rate=int(self.capacity.changes[0].rate), delay_ms=one_way,
                      queue_bytes=scenario.queue, up=f"delay={one_way}ms {scenario.up}",
                      **scenario.down)

    def _watch(self, lab, daemon):
        try:
            with Health() as self.health:
                self._stream(lab, daemon)
        finally:
            self._stop_competing()

    def _stream(self, lab, daemon):
        self.begin = time.monotonic()
        for at, act in sorted(self._schedule(lab, daemon), key=lambda item: item[0]):
            time.sleep(max(0, self.begin + at - time.monotonic()))
            self.health.acted(time.monotonic() - self.begin - at)
            act()
        self.end = time.monotonic()
        daemon.check_running()
        self.metrics = daemon.metrics()
        self.pictures = {lane: [viewer.pictures() for viewer in viewers]
                         for lane, viewers in self._viewers.items()}
        self.health.finish(lab.counters(), self.metrics)
        self.summaries = {lane: [viewer.finish() for viewer in viewers]
                          for lane, viewers in self._viewers.items()}

    def _schedule(self, lab, daemon):
        """[(seconds, action)]"""
        for change in self.capacity.changes[1:]:
            words = f"rate={int(change.rate)} blackhole=off" if change.rate else "blackhole=on"
            yield change.at, lambda words=words: lab.command(f"down {words}")
        for number in range(self.scenario.viewers):
            yield number * JOIN_APART, lambda: self._join(lab, daemon)
        if self.scenario.competitor:
            yield self.scenario.competitor.start, lambda: self._compete(lab)
            yield self.scenario.competitor.stop, self._stop_competing
        yield self.scenario.seconds, lambda: None

    def recording(self, lane, viewer):
        return self._directory / f"{lane.name}-{viewer}.ts"

    def _join(self, lab, daemon):
        for client, (lane, viewers) in enumerate(self._viewers.items()):
            url = daemon.url(lane.name, ip=lab.clients[client].server_ip)
            viewers.append(Viewer(url, "--record", self.recording(lane, len(viewers)), lab=lab,
                                  client=client, directory=self._directory, wrapper=NICE,
                                  name=f"{lane.name}-{len(viewers)}"))

    def _compete(self, lab):
        competitor = self.scenario.competitor
        self.competitors = {lane: [BulkFlow(lab, client, competitor.congestion_control)
                                   for _ in range(competitor.flows)]
                            for client, lane in enumerate(self.lanes)}

    def _stop_competing(self):
        for flow in itertools.chain.from_iterable(self.competitors.values()):
            flow.stop()
