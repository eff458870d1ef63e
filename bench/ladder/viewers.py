"""Real viewers of one stream on mixed links, with few encode groups and with one for each viewer.

    server's namespace        a link for each viewer                a namespace for each
    stream, 4 groups   ---- [ queue, rate in steps, delay ] ----  ts_client
    the same, 20       ---- [ the same                    ] ----  ts_client

A link's rate is log-normal and changes in steps, and each link has its own delay. The two runs use the
same links, one run after the other. Frames are small, so that as many encoders as viewers fit on two
CPUs, and show noise, so that each stream takes its whole rate. Needs root, to make network
namespaces."""

import argparse
import json
import math
import pathlib
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass

from bench.policies import measure
from bench.policies.health import PRIORITY, CpuWatch, WakeupWatch
from netlab.daemon import Daemon
from netlab.network import Netlab, why_unavailable
from netlab.timeline import match_pictures, percentile, read_sessions
from netlab.viewer import Viewer

MEDIAN, SIGMA = 2e6, 0.7  # median of a link's rate, bit/s; standard deviation of its logarithm
LEAST, MOST = 0.5e6, 8e6
STAY = (3, 15)  # seconds between the steps of a link
DELAYS = (5, 40)  # ms, one way
QUEUE = 64_000  # bytes: 64 ms at 8 Mbit/s, 1 s at 0.5 Mbit/s
JOIN_APART = 0.25  # seconds
WARM_UP = 5  # seconds after the last join that are not counted
TAIL = 1  # seconds at the end that are not counted, in which late frames can still arrive
LATE = 0.2  # seconds
NICE = ("nice", "-n", str(PRIORITY))

CONFIG = """
[rate]
start = "1M"
min = "300k"
max = "6M"
[groups]
max = {groups}
cpu = 1.0
[audio]
enabled = false
[encoder]
preset = "ultrafast"
crf = 8
[[stream]]
name = "live"
source = {{ uri = "test:?size={size}&content=noise&audio=off" }}
control = {{ policy = "{policy}" }}
tcp = {{ congestion_control = "{congestion_control}" }}
"""


@dataclass(frozen=True)
class Path:
    delay_ms: float
    steps: list  # [(seconds, bit/s)], the first at 0


def draw_path(chance, seconds):
    steps, at = [], 0.0
    while at < seconds:
        rate = math.exp(chance.gauss(math.log(MEDIAN), SIGMA))
        steps.append((at, min(MOST, max(LEAST, rate))))
        at += chance.uniform(*STAY)
    return Path(chance.uniform(*DELAYS), steps)


class KeyframeCount:
    """Counts forced keyframes of all groups, including groups that were closed."""

    def __init__(self):
        self.forced = 0
        self._last = {}

    def look(self, metrics):
        now = {labels["group"]: value for name, labels, value in metrics.samples
               if name == "symcast_group_keyframes_forced_total"}
        for group, value in now.items():
            before = self._last.get(group, 0)
            self.forced += value - before if value >= before else value  # a new group with that number
        self._last = now


class Run:
    """Runs when constructed; then `viewers` has the figures of each viewer, and `sums` those of all."""

    def __init__(self, options, groups, paths, directory):
        self._options = options
        self._paths = paths
        self._trace = directory / "trace"
        config = CONFIG.format(groups=groups, size=options.size, policy=options.policy,
                               congestion_control=options.congestion_control)
        with Netlab(clients=len(paths), queue_bytes=QUEUE) as lab:
            for client, path in enumerate(paths):
                lab.command(f"{client} both delay={path.delay_ms}ms")
                lab.command(f"{client} down rate={int(path.steps[0][1])}")
            with Daemon("--trace", str(self._trace), directory=directory, lab=lab, config=config,
                        wrapper=NICE) as daemon:
                self._watch(lab, daemon, directory)
        self._evaluate(lab)

    def _watch(self, lab, daemon, directory):
        wakeups, cpu = WakeupWatch(), CpuWatch()
        keyframes = KeyframeCount()
        viewers = []
        self._start = time.monotonic()
        for at, act in self._schedule(lab, daemon, directory, viewers, keyframes):
            time.sleep(max(0, self._start + at - time.monotonic()))
            act()
        self._end = time.monotonic()
        metrics = daemon.metrics()
        keyframes.look(metrics)
        busy = cpu.busy()
        frames, late = (metrics.sum(f"symcast_group_frames{kind}_total") for kind in ("", "_late"))
        self._server = {"forced": keyframes.forced, "cpu_s": daemon.cpu_seconds(),
                        "groups": len(metrics.all("symcast_group_viewers")),
                        "plans": metrics.sum("symcast_group_plans_total"),
                        "shed": metrics.sum("symcast_groups_shed_total")}
        self.machine = (f"machine {busy:.0%} busy, wake-ups "
                        f"{1000 * wakeups.stop():.1f} ms late at p99, "
                        f"{late / max(1, late + frames):.2%} of the frames too late to encode, "
                        f"{metrics.sum('symcast_groups_max'):.0f} groups held")
        self._records = [viewer.pictures() for viewer in viewers]
        for viewer in viewers:
            viewer.finish()

    def _schedule(self, lab, daemon, directory, viewers, keyframes):
        """[(seconds, action)], in order."""
        def join(client):
            url = daemon.url(ip=lab.clients[client].server_ip)
            viewers.append(Viewer(url, lab=lab, client=client, directory=directory, wrapper=NICE,
                                  name=f"viewer{client}"))

        acts = [(client * JOIN_APART, lambda client=client: join(client))
                for client in range(len(self._paths))]
        acts += [(at, lambda client=client, rate=rate: lab.command(f"{client} down "
                                                                   f"rate={int(rate)}"))
                 for client, path in enumerate(self._paths) for at, rate in path.steps[1:]]
        acts += [(second, lambda: keyframes.look(daemon.metrics()))
                 for second in range(1, self._options.seconds)]
        acts.append((self._options.seconds, lambda: None))
        return sorted(acts, key=lambda item: item[0])

    def _evaluate(self, lab):
        sessions = read_sessions(self._trace)
        begin = self._start + len(self._paths) * JOIN_APART + WARM_UP
        end = self._end - TAIL
        watched = [of_viewer(sessions[client.address], pictures, begin, end, self._end)
                   for client, pictures in zip(lab.clients, self._records)]
        self.viewers = [figures for figures, _ in watched]
        delays = sorted(delay for _, delays in watched for delay in delays)
        self.sums = {"ln_rate": statistics.mean(v["ln_rate"] for v in self.viewers),
                     **_delay_figures(delays),
                     "changes": sum(v["changes"] for v in self.viewers), **self._server}


def of_viewer(session, pictures, begin, end, looked):
    """(figures, delays) of the frames captured in [begin, end); `looked`: when the run ended."""
    came = [(line["number"], line["captured"], picture["arrival_ns"] / 1e9, 8 * picture["bytes"])
            for line, picture in (match_pictures(pictures, session) if pictures else [])]
    counted = [picture for picture in measure.source_pictures(came, begin, looked)
               if begin <= picture.captured < end]
    delays = measure.delays(counted, looked)
    changes = sum(line["event"] == "group" and begin <= line["at"] < end for line in session)
    return {"ln_rate": mean_log_rate(came, begin, end), **_delay_figures(delays),
            "changes": changes}, delays


def mean_log_rate(came, begin, end):
    """Mean of ln(bit/s) over whole seconds; a second without data counts as 1 kbit/s."""
    seconds = [0] * int(end - begin)
    for _, _, arrived, bits in came:
        if 0 <= arrived - begin < len(seconds):
            seconds[int(arrived - begin)] += bits
    return statistics.mean(math.log(max(1e3, bits)) for bits in seconds)


def _delay_figures(delays):
    return {"late": sum(delay > LATE for delay in delays) / len(delays),
            "p50": 1000 * percentile(delays, 50), "p95": 1000 * percentile(delays, 95)}


VIEWER_COLUMNS = f"{'ln rate':>9}{'Mbit/s':>8}{'late %':>8}{'p50 ms':>8}{'p95 ms':>8}{'changes':>9}"


def row(figures):
    return (f"{figures['ln_rate']:9.3f}{math.exp(figures['ln_rate']) / 1e6:8.2f}"
            f"{100 * figures['late']:8.2f}{figures['p50']:8.0f}{figures['p95']:8.0f}"
            f"{figures['changes']:9.0f}")


def print_viewers(seed, runs, paths):
    print(f"\n# seed {seed}, each viewer; rate: geometric mean over seconds; late: more than "
          f"{LATE} s")
    print(f"{'':22}" + "".join(f"{f'groups.max = {groups}':>50}" for groups in runs))
    print(f"{'viewer':>7}{'delay ms':>9}{'link':>6}" + VIEWER_COLUMNS * len(runs))
    for viewer, path in enumerate(paths):
        link = statistics.geometric_mean(rate for _, rate in path.steps) / 1e6
        print(f"{viewer:7}{path.delay_ms:9.0f}{link:6.2f}"
              + "".join(row(run.viewers[viewer]) for run in runs.values()))
    for groups, run in runs.items():
        print(f"# groups.max = {groups}: {run.machine}", flush=True)


def print_sums(title, sums):
    print(f"\n# {title}")
    print(f"{'groups.max':>10}{VIEWER_COLUMNS}{'forced keys':>13}{'plans':>7}{'shed':>6}"
          f"{'groups':>8}{'CPU s':>8}")
    for groups, figures in sums.items():
        print(f"{groups:10}{row(figures)}{figures['forced']:13.0f}{figures['plans']:7.0f}"
              f"{figures['shed']:6.0f}{figures['groups']:8.0f}{figures['cpu_s']:8.1f}", flush=True)
    few, each = sums.values()
    print(f"# rate with the fewer groups: {math.exp(few['ln_rate'] - each['ln_rate']):.1%} of the "
          f"rate with more; ln: {few['ln_rate'] / each['ln_rate']:.2%}")


def medians(all_sums):
    """{groups: figures}, each the median over the seeds."""
    return {groups: {key: statistics.median(sums[groups][key] for sums in all_sums)
                     for key in all_sums[0][groups]} for groups in all_sums[0]}


def parse(arguments):
    parser = argparse.ArgumentParser(prog="ladder viewers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--groups", type=int, default=4, help="groups of the first run [%(default)s]; the "
                        "second run has one for each viewer")
    parser.add_argument("--seconds", type=int, default=60, help="of each run [%(default)s]")
    parser.add_argument("--seeds", type=int, default=3, help="[%(default)s]")
    parser.add_argument("--size", default="320x180", help="size of the frames [%(default)s]")
    parser.add_argument("--policy", default="symbiosis", help="[%(default)s]")
    parser.add_argument("--congestion-control", default="cubic", help="[%(default)s]")
    parser.add_argument("--json", type=pathlib.Path, help="file for all figures")
    options = parser.parse_args(arguments)
    if options.groups >= options.viewers:
        sys.exit("ladder: --groups must be less than --viewers, the groups of the second run")
    return options


def main(arguments):
    options = parse(arguments)
    reason = why_unavailable()
    if reason:
        sys.exit(f"ladder: {reason}")
    all_sums = []
    for seed in range(1, options.seeds + 1):
        chance = random.Random(seed)
        paths = [draw_path(chance, options.seconds) for _ in range(options.viewers)]
        runs = {}
        for groups in (options.groups, options.viewers):
            with tempfile.TemporaryDirectory() as directory:
                runs[groups] = Run(options, groups, paths, pathlib.Path(directory))
        print_viewers(seed, runs, paths)
        all_sums.append({groups: run.sums for groups, run in runs.items()})
        print_sums(f"seed {seed}, all viewers", all_sums[-1])
    if options.seeds > 1:
        print_sums(f"medians of {options.seeds} seeds", medians(all_sums))
    if options.json:
        options.json.write_text(json.dumps(all_sums, indent=1))
