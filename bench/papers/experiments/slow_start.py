"""Paper 004: slow starts of a delay-based TCP with stored video."""

import bisect
import itertools
import math
import statistics
import time

from bench.papers.experiment import Experiment, Run
from bench.papers.playout import play
from bench.papers.statistic import in_most, less, mean_deviation, signed_rank
from bench.papers.steered import Flows
from bench.policies.health import Health
from bench.policies.mobile_trace import Radio, mobile_trace
from netlab.network import Netlab

ROUND_TRIPS = (3, 100, 200)  # ms: the paper's short, typical and large
CONTROLS = {"ccp": "CCP", "ccpsss": "CCPSSS", "ccpvs": "CCPVS", "ccplss": "CCPLSS",
            "ccpd": "CCPD", "reno": "reno", "cubic": "cubic", "bbr": "bbr"}
OURS = ("ccp", "ccpsss", "ccpvs", "ccplss", "ccpd")
VIDEO_RATE = 5.24e6
FRAMES_PER_SECOND = 30
PLAYOUT_BUFFER = 656_000  # bytes
PLAYOUT_SECONDS = 8 * PLAYOUT_BUFFER / VIDEO_RATE
KEYFRAME_WEIGHT = 5  # size of a keyframe, one frame in 30, relative to the others
VIDEO_SECONDS = {False: 120, True: 15}  # the key says whether the pass is quick
LONGEST = 2  # times the video's length, after which a run ends
RATE = 15e6
# Around 15 Mbit/s with occasional interruptions; the paper does not describe its Wi-Fi.
WIFI = Radio(states=(4e6, 10e6, 15e6, 22e6), stay=1.5, fading=0.15, interruption=0.1,
             interrupted=(0.1, 0.6), left=1e6)
PATHS = {
    "random loss": "15 Mbit/s, 0.2 % of the packets lost at random, queue of 64 packets",
    "little storage": "the same, queue of 8 packets",
    "Wi-Fi": "4 to 22 Mbit/s, changing 10 times per second, interruptions of 0.1 to 0.6 s, losses "
             "in bursts of 3 packets, queue of 64 packets"}
LINKS = {"random loss": {"queue_bytes": 96_000, "loss": 0.002},
         "little storage": {"queue_bytes": 12_000, "loss": 0.002},
         "Wi-Fi": {"queue_bytes": 96_000, "burst_enter": 0.0007, "burst_leave": 0.33,
                   "burst_time": "20ms"}}
CWND_SECONDS = 30  # of the plots: the paper's figures 4, 8 and 11
CWND_SEED = 1
MANY = 1.5
BEST = {3: "ccplss", 100: "ccp", 200: "ccp"}  # as the paper found


def runs(scope):
    paths = ["random loss"] if scope.quick else list(PATHS)
    seconds = VIDEO_SECONDS[scope.quick]
    return [Run(key_of(path, round_trip, seed), 1.1 * seconds, seed,
                {"path": path, "round_trip": round_trip, "seconds": seconds})
            for path in paths for round_trip in ROUND_TRIPS for seed in _seeds(path, round_trip, scope)]


def _seeds(path, round_trip, scope):
    """More seeds for paths with more variation, and most where the finding depends on it."""
    times = 1 if path != "Wi-Fi" else 4 if round_trip == min(ROUND_TRIPS) else 2
    return range(scope.seed, scope.seed + times * scope.repeats)


def key_of(path, round_trip, seed):
    return f"{path}, {round_trip} ms, seed {seed}"


def frame_ends(seconds):
    """Where each frame of the video ends, in bytes."""
    weights = [KEYFRAME_WEIGHT if i % FRAMES_PER_SECOND == 0 else 1
               for i in range(seconds * FRAMES_PER_SECOND)]
    unit = VIDEO_RATE / 8 / (FRAMES_PER_SECOND - 1 + KEYFRAME_WEIGHT)
    return [int(unit * total) for total in itertools.accumulate(weights)]


def watched(arrivals, ends):
    """Playback of a player with this buffer. `arrivals`: [(time, bytes so far)]."""
    times, totals = [at for at, _ in arrivals], [total for _, total in arrivals]

    def when(byte):
        index = bisect.bisect_left(totals, min(byte, ends[-1]))
        return times[index] if index < len(times) else math.inf

    begins = [0, *ends]
    return play([when(end) for end in ends], [i / FRAMES_PER_SECOND for i in range(len(ends))],
                lambda index: when(begins[index] + PLAYOUT_BUFFER), PLAYOUT_SECONDS)


class Reader:
    """The largest number of received bytes that a player has read by a time: up to its buffer size
    ahead of the frame that it shows or has stopped at. It plays by play()'s rules."""

    def __init__(self, ends):
        self._begins = [0, *ends]  # of each frame, and the end
        self._waits_at = 0  # the frame before which it has stopped; None while it plays
        self._began = 0.0  # while it plays: time of the first frame

    def __call__(self, now, received):
        if self._waits_at is not None:
            enough = self._ahead_of(self._waits_at)
            if received < enough:
                return enough
            self._began = now - self._waits_at / FRAMES_PER_SECOND
            self._waits_at = None
        there = bisect.bisect_right(self._begins, received) - 1  # frames
        pictures = len(self._begins) - 1
        if there < pictures and now - self._began > there / FRAMES_PER_SECOND + PLAYOUT_SECONDS:
            self._waits_at = there
            return self._ahead_of(there)
        return self._ahead_of(min(pictures, int((now - self._began) * FRAMES_PER_SECOND)))

    def _ahead_of(self, picture):
        return min(self._begins[picture] + PLAYOUT_BUFFER, self._begins[-1])


def measure(run, _directory):
    settings = run.settings
    ends = frame_ends(settings["seconds"])
    with Netlab(clients=len(CONTROLS), seed=1000 * run.seed, alike=True, rate=int(RATE),
                delay_ms=settings["round_trip"] / 2, **LINKS[settings["path"]]) as lab, \
            Health() as health:
        flows = Flows(lab)
        started = {name: flows.connect(name, client, Reader(ends))
                   for client, name in enumerate(CONTROLS)}
        for name, flow in started.items():
            flows.ask(flow, bytes=ends[-1], **_hints(name))
        _receive(lab, flows, started, settings, run.seed, health)
        health.finish(lab.counters())
    found = {name: _figures(flow, ends) for name, flow in started.items()}
    if run.seed == CWND_SEED and settings["path"] == "random loss":
        for name, flow in started.items():
            found[name]["cwnd"] = [(round(at - flow.began, 1), report["cwnd"])
                                   for at, report in flow.reports
                                   if at < min(flow.began + CWND_SECONDS, flow.arrivals[-1][0])]
    return {"complaints": health.complaints(), "cpu": health.cpu, "controls": found}


def _hints(name):
    if name not in OURS:
        return {"congestion_control": name}
    return {"congestion_control": f"sym_{name}", "video_rate": int(VIDEO_RATE)}


def _receive(lab, flows, started, settings, seed, health):
    """Receives until all flows are complete, and changes the links meanwhile."""
    longest = LONGEST * settings["seconds"]
    changes = [(longest, None)]
    if settings["path"] == "Wi-Fi":
        changes = mobile_trace(WIFI, longest, seed) + changes
    size = frame_ends(settings["seconds"])[-1]
    begin = time.monotonic()
    for at, rate in changes:
        flows.receive(max(0, begin + at - time.monotonic()),
                      lambda: all(flow.received() == size for flow in started.values()))
        if all(flow.received() == size for flow in started.values()) or rate is None:
            return
        health.acted(time.monotonic() - begin - at)
        lab.set(down_rate=int(rate))


def _figures(flow, ends):
    playing = watched(flow.arrivals, ends)
    end = flow.arrivals[-1][0]
    seconds = end - flow.began
    round_trips = [report["rtt_us"] / 1000 for at, report in flow.reports if at < end]
    return {"discards": playing.discards, "underflows": playing.underflows,
            "stalled": round(playing.stalled, 2), "never": len(ends) - playing.shown
            - playing.discards, "retransmissions": flow.retransmits(),
            "start": round(playing.began - flow.began, 3) if playing.shown else None,
            "rate": 8 * flow.received() / seconds,
            "round_trip": statistics.mean(round_trips) if round_trips else None}


MEASURES = {"discards": ("discarded pictures", 0), "underflows": ("underflows", 1),
            "retransmissions": ("retransmissions", 0), "start": ("first picture after (s)", 2),
            "stalled": ("stood still (s)", 1), "rate": ("Mbit/s", 1),
            "round_trip": ("TCP's round trip (ms)", 0), "never": ("never shown", 0)}


def report(figures, page):
    for path, what in PATHS.items():
        found = {round_trip: _by_control(figures, path, round_trip) for round_trip in ROUND_TRIPS}
        if not any(found.values()):
            continue
        page.heading(f"Path: {path}")
        page.text(f"{what}; mean ± standard deviation over the seeds, as the paper has it.")
        for round_trip, controls in found.items():
            if controls:
                _table(page, round_trip, controls)
                _claims(page, path, round_trip, controls)
        _bars(page, path, found)
        if path == "random loss":
            _windows(page, figures)


def _by_control(figures, path, round_trip):
    """{congestion control: [figures of each seed]}"""
    of_seeds = [run["controls"] for key, run in sorted(figures.items())
                if key.startswith(f"{path}, {round_trip} ms,")]
    return {name: [run[name] for run in of_seeds] for name in CONTROLS} if of_seeds else {}


def _values(runs_of_control, measure_name):
    values = [run[measure_name] for run in runs_of_control if run[measure_name] is not None]
    return [value / 1e6 for value in values] if measure_name == "rate" else values


def _mean(runs_of_control, measure_name):
    return statistics.mean(_values(runs_of_control, measure_name))


def _table(page, round_trip, controls):
    page.text(f"Round trip {round_trip} ms, {len(controls['ccp'])} seeds:")
    page.table(("", *(title for title, _ in MEASURES.values())), [
        (CONTROLS[name], *(mean_deviation(_values(runs_of_it, key), digits)
                           for key, (_, digits) in MEASURES.items()))
        for name, runs_of_it in controls.items()])


def _claims(page, path, round_trip, controls):
    def figures_of(name):
        return f"{CONTROLS[name]} {_mean(controls[name], 'discards'):.1f}"

    where = f"{round_trip} ms, {path}"
    variants = [name for name in OURS if name != "ccpd"]
    best = BEST[round_trip]
    discards = {name: _values(controls[name], "discards") for name in variants}
    page.claim(f"{CONTROLS[best]} discards the fewest pictures of the slow starts; {where}", "yes",
               ", ".join(map(figures_of, variants)),
               in_most(less(discards[best], [min(others) for others in zip(
                   *(discards[name] for name in variants if name != best))])))
    if round_trip == 3:
        fewer = less(discards["ccplss"], discards["ccp"])
        chance = signed_rank(discards["ccplss"], discards["ccp"])
        page.claim(f"VideoRateSsthresh discards fewer than the plain slow start; {where}", "yes",
                   f"{figures_of('ccplss')}, {figures_of('ccp')}; fewer in {fewer.count(True)} and "
                   f"more in {fewer.count(False)} of {len(fewer)} seeds" + (
                       "" if chance is None else f", by chance with p = {chance:.3f} (Wilcoxon's "
                       "signed-rank test, two-sided)"), in_most(fewer))
    if round_trip == 100:
        resent = {name: _values(controls[name], "retransmissions") for name in variants}
        plain = resent.pop("ccp")
        page.claim(f"Only the plain slow start resends many packets, {MANY} times as many as others; "
                   f"{where}", "yes",
                   ", ".join(f"{CONTROLS[name]} {_mean(controls[name], 'retransmissions'):.0f}"
                             for name in variants),
                   in_most([own > MANY * max(others)
                            for own, *others in zip(plain, *resent.values())]))


def _bars(page, path, found):
    with page.plot(path.replace(" ", "-").lower(), f"{path}: as the paper's figures 7, 10 and 12; "
                   "bars are standard deviations", rows=1, columns=3, size=(11, 3.5)) as axes:
        for axis, key in zip(axes, ("discards", "underflows", "retransmissions")):
            for offset, (round_trip, controls) in enumerate(found.items()):
                if not controls:
                    continue
                positions = [index + 0.27 * offset for index in range(len(controls))]
                values = [_values(of_it, key) for of_it in controls.values()]
                axis.bar(positions, [statistics.mean(each) for each in values], 0.27,
                         yerr=[statistics.pstdev(each) for each in values],
                         label=f"{round_trip} ms", error_kw={"linewidth": 0.7})
            axis.set_xticks([index + 0.27 for index in range(len(CONTROLS))], CONTROLS.values(),
                            rotation=60, fontsize=8)
            axis.set_title(MEASURES[key][0])
        axes[0].legend(title="round trip", fontsize=8)


def _windows(page, figures):
    page.text(f"Congestion windows of the first {CWND_SECONDS} s, seed {CWND_SEED}:")
    with page.plot("cwnd", "Congestion window, as the paper's figures 4, 8 and 11",
                   rows=len(ROUND_TRIPS), columns=2, size=(11, 9), sharex=True) as axes:
        for row, round_trip in zip(axes, ROUND_TRIPS):
            run = figures.get(key_of("random loss", round_trip, CWND_SEED))
            for axis, names in zip(row, (OURS, [name for name in CONTROLS if name not in OURS])):
                for name in names if run else ():
                    times, windows = zip(*run["controls"][name]["cwnd"])
                    axis.plot(times, windows, linewidth=0.9, label=CONTROLS[name])
                axis.set_title(f"round trip {round_trip} ms", fontsize=9)
                axis.set_ylim(bottom=0)
                axis.legend(fontsize=7)
            row[0].set_ylabel("segments")
        for axis in axes[-1]:
            axis.set_xlabel("seconds")


EXPERIMENT = Experiment(
    name="slow-start",
    title="Slow starts for video: CCP and its variants",
    paper="Watanabe, Kumazoe, Cavendish, Nobayashi, Ikenaga, Oie 2013, *Slow start TCP improvements "
          "for video streaming applications*",
    hypothesis="""
A slow start that ends at the video's rate (VideoRateSsthresh, CCPLSS) discards fewer pictures on
short paths than the usual one; on long paths, which store more, the usual one (CCP) is best.""",
    method=f"""
A stored video of {VIDEO_RATE / 1e6:g} Mbit/s and {FRAMES_PER_SECOND} frames/s, {VIDEO_SECONDS[False]}
s long, is sent as fast as TCP goes, to a receiver for each congestion control, over a link of its
own; chance does the same to the n-th packet of each link. Three kinds of path, round trips of
{', '.join(map(str, ROUND_TRIPS))} ms. The player reads no more than {PLAYOUT_BUFFER // 1000} kB ahead
of what it shows, as VLC does: beyond that TCP's window holds the sender back. It begins when they
are there. A picture that is late at its time, by up to what those play for ({PLAYOUT_SECONDS:.1f} s), is
discarded; when the first of a row comes late, its buffer has run empty: an underflow. A picture that
is later still stops the player until {PLAYOUT_BUFFER // 1000} kB are there again; pictures that have
not come after {LONGEST * VIDEO_SECONDS[False]} s are never shown. CCP and its
variants are our eBPF congestion controls (`sym_ccp...`); they measure the capacity by themselves, the
video's rate is a hint for CCPVS and CCPLSS. *TCP's round trip* is the smoothed one of TCP_INFO: a
player that reads no more than it wants lets little be sent at once, whose last acknowledgement is a
delayed one.""",
    differences=(
        f"{VIDEO_SECONDS[False]} s of video in place of 624; five runs as in the paper, ten of the "
        "Wi-Fi path, twenty with 3 ms",
        "the Wi-Fi link is emulated, in three ways, for the paper does not say what it lost",
        "neither server nor video nor player run: a program sends zeros, a number of bytes stands for "
        f"a frame (a keyframe of {KEYFRAME_WEIGHT} times the others' size each second), and the "
        "player is a model of VLC's; its rules are above",
        "the kernel's usual socket buffers in place of 256 MB",
        "the paper does not say which value CCP uses for the storage of a path (B): docs/decisions/0009",
        "reno, cubic and bbr are the kernel's; the paper has none of them"),
    runs=runs, measure=measure, report=report, at_once=2)
