"""An audience of one stream, each viewer on a link of its own: runs the server, and says how much each
viewer received, and when.

    server's namespace             a link for each viewer              a namespace for each
    symcast serve    ---- [ queue, rate in steps, delay, loss ] ----  ts_client

Needs root, to make network namespaces. Rates are bit/s of video, times seconds."""

import math
import statistics
import time
from dataclasses import dataclass

from bench.policies import measure
from bench.policies.health import PRIORITY, CpuWatch, WakeupWatch
from netlab.daemon import Daemon, Metrics
from netlab.network import Netlab
from netlab.timeline import match_pictures, percentile, read_sessions
from netlab.viewer import Viewer

DELAYS = (5, 40)  # ms, one way
QUEUE = 64_000  # bytes: 64 ms at 8 Mbit/s, 1 s at 0.5 Mbit/s
JOIN_APART = 0.25  # seconds
TAIL = 1  # seconds at the end that are not counted, in which late frames can still arrive
LATE = 0.2  # seconds
LEAST_RATE = 1e3  # bit/s; stands for nothing at all, which has no logarithm
NICE = ("nice", "-n", str(PRIORITY))


@dataclass(frozen=True)
class Path:
    delay_ms: float  # one way
    steps: list  # [(seconds, bit/s)], the first at 0
    loss: float = 0  # probability for each packet to the viewer


@dataclass(frozen=True)
class Sample:
    """The server at one time."""
    at: float
    cpu_s: float  # user and system time of the process until then
    metrics: Metrics


def length_of_run(viewers, warm_up, seconds):
    """Seconds of a run that counts `seconds`."""
    return viewers * JOIN_APART + warm_up + seconds + TAIL


class Run:
    """Runs for `seconds` when constructed; the frames count that are captured from `warm_up` after the
    last join on. Then `figures` and `delays` have an item for each viewer, `samples` one for each second
    from before the first join on, and `machine` says how busy the machine was. `seed`: of random losses."""

    def __init__(self, config, paths, seconds, warm_up, directory, seed=1):
        self._paths = paths
        self._trace = directory / "trace"
        self.samples = []
        with Netlab(clients=len(paths), queue_bytes=QUEUE, seed=seed) as lab:
            for client, path in enumerate(paths):
                lab.command(f"{client} both delay={path.delay_ms}ms")
                lab.command(f"{client} down rate={int(path.steps[0][1])} loss={path.loss}")
            with Daemon("--trace", str(self._trace), directory=directory, lab=lab, config=config,
                        wrapper=NICE) as daemon:
                self._watch(seconds, lab, daemon, directory)
        self._begin = self._start + len(paths) * JOIN_APART + warm_up
        self._evaluate(lab)

    def counted_samples(self):
        """Those of the time that counts."""
        return [sample for sample in self.samples if self._begin <= sample.at <= self._end]

    def _watch(self, seconds, lab, daemon, directory):
        wakeups, cpu = WakeupWatch(), CpuWatch()
        viewers = []
        self._start = time.monotonic()
        for at, act in self._schedule(seconds, lab, daemon, directory, viewers):
            time.sleep(max(0, self._start + at - time.monotonic()))
            act()
        self._over = time.monotonic()
        self._end = self._over - TAIL
        self._sample(daemon)
        self.machine = self._describe(cpu.busy(), wakeups.stop())
        self._records = [viewer.pictures() for viewer in viewers]
        for viewer in viewers:
            viewer.finish()

    def _schedule(self, seconds, lab, daemon, directory, viewers):
        """[(seconds, action)], in order."""
        def join(client):
            url = daemon.url(ip=lab.clients[client].server_ip)
            viewers.append(Viewer(url, lab=lab, client=client, directory=directory, wrapper=NICE,
                                  name=f"viewer{client}"))

        acts = [(second, lambda: self._sample(daemon)) for second in range(math.ceil(seconds))]
        acts += [(client * JOIN_APART, lambda client=client: join(client))
                 for client in range(len(self._paths))]
        acts += [(at, lambda client=client, rate=rate: lab.command(f"{client} down "
                                                                   f"rate={int(rate)}"))
                 for client, path in enumerate(self._paths) for at, rate in path.steps[1:]]
        acts.append((seconds, lambda: None))
        return sorted(acts, key=lambda item: item[0])

    def _sample(self, daemon):
        self.samples.append(Sample(time.monotonic(), daemon.cpu_seconds(), daemon.metrics()))

    def _describe(self, busy, woken_late):
        metrics = self.samples[-1].metrics
        frames, late = (metrics.sum(f"symcast_group_frames{kind}_total") for kind in ("", "_late"))
        return (f"machine {busy:.0%} busy, wake-ups {1000 * woken_late:.1f} ms late at p99, "
                f"{late / max(1, late + frames):.2%} of the frames too late to encode, "
                f"{metrics.sum('symcast_groups_max'):.0f} groups held")

    def _evaluate(self, lab):
        sessions = read_sessions(self._trace)
        watched = [of_viewer(sessions[client.address], pictures, self._begin, self._end, self._over)
                   for client, pictures in zip(lab.clients, self._records)]
        self.figures = [figures for figures, _ in watched]
        self.delays = [delays for _, delays in watched]


def of_viewer(session, pictures, begin, end, looked):
    """(figures, delays) of the frames captured in [begin, end); `looked`: when the run ended."""
    came = [(line["number"], line["captured"], picture["arrival_ns"] / 1e9, 8 * picture["bytes"])
            for line, picture in (match_pictures(pictures, session) if pictures else [])]
    counted = [picture for picture in measure.source_pictures(came, begin, looked)
               if begin <= picture.captured < end]
    delays = measure.delays(counted, looked)
    changes = sum(line["event"] == "group" and begin <= line["at"] < end for line in session)
    return {"rate": measure.rate(counted), "ln_rate": mean_log_rate(came, begin, end),
            "lost": sum(not picture.came for picture in counted) / len(counted),
            **delay_figures(delays), "changes": changes}, delays


def mean_log_rate(came, begin, end):
    """Mean of ln(bit/s) over whole seconds."""
    seconds = [0] * int(end - begin)
    for _, _, arrived, bits in came:
        if 0 <= arrived - begin < len(seconds):
            seconds[int(arrived - begin)] += bits
    return statistics.mean(map(log_rate, seconds))


def log_rate(rate):
    return math.log(max(LEAST_RATE, rate))


def delay_figures(delays):
    return {"late": sum(delay > LATE for delay in delays) / len(delays),
            "p50": 1000 * percentile(delays, 50), "p95": 1000 * percentile(delays, 95)}


def growth(samples, name):
    """By how much a counter of the groups grew between the first sample and the last, with groups that
    were closed meanwhile. The growth of a group after its last sample is not seen."""
    grown, before = 0, None
    for sample in samples:
        now = {labels["group"]: value for metric, labels, value in sample.metrics.samples
               if metric == name}
        if before is not None:
            grown += sum(_grown(before.get(group, 0), value) for group, value in now.items())
        before = now
    return grown


def _grown(before, now):
    return now - before if now >= before else now  # less: a new group with that number


def medians(figures):
    """Dictionaries of the same form, of numbers or dictionaries: the median of each number."""
    if not isinstance(figures[0], dict):
        return statistics.median(figures)
    return {key: medians([each[key] for each in figures]) for key in figures[0]}
