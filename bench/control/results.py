"""From a run's records to figures: one dictionary per lane, ready for JSON. Delays are in ms."""

import json
import os
import pathlib
import statistics
import subprocess

import measure
from capacity import on_the_wire, oracle_delays
from netlab import tool
from run import source_options
from scenarios import CEILING
from timeline import between, match_pictures, percentile

PLAYOUTS = (0.15, 0.5)  # seconds beyond the one-way delay
TAIL = 1  # seconds at the end that no figure counts, so that what is late can still come
LATE = 200  # ms
# With the process that computes the figures, however that ends.
WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")
STEP = 1.5  # a change of the capacity by less is none that an encoder follows


def shown_quality():
    folder = os.environ.get("BENCH_TOOLS") or pathlib.Path(tool("ts_client")).parents[2] / "bench"
    return pathlib.Path(folder) / "shown_quality"


def sessions(directory, stream, viewers):
    """The trace's lines of each viewer of a stream, in the order in which they came; of a single
    viewer whom the link never let through, none."""
    found = [[json.loads(line) for line in path.read_text().splitlines()]
             for path in directory.glob(f"{stream}-*.jsonl")]
    found = sorted(filter(None, found), key=lambda lines: lines[0]["requested"])
    if not found and viewers == 1:
        return [[]]
    if len(found) != viewers:  # whose they are is not to be told
        raise RuntimeError(f"{stream}: {len(found)} sessions of {viewers} viewers")
    return found


def _percentiles(delays):
    return {**{f"p{percent}": percentile(delays, percent) for percent in (50, 95, 99)},
            "max": max(delays), "late": sum(delay > LATE for delay in delays) / len(delays)}


class LaneResult:
    """The figures of one lane of a run."""

    def __init__(self, run, lane, every):
        self._run = run
        self._lane = lane
        self._every = every
        self._scenario = run.scenario
        self._one_way = run.scenario.rtt_ms / 2000
        self._window = run.begin + run.scenario.from_second, run.end - TAIL
        self._sessions = sessions(run.trace, lane.name, run.scenario.viewers)
        self._viewings = [self._pictures(*pair)
                          for pair in zip(self._sessions, run.pictures[lane])]

    def _pictures(self, session, pictures):
        matches = match_pictures(pictures, session) if pictures else []
        came = [(line["number"], line["captured"], picture["arrival_ns"] / 1e9,
                 8 * picture["bytes"]) for line, picture in matches]
        begin, end = self._window
        return [picture for picture in measure.source_pictures(came, begin, self._run.end)
                if begin <= picture.captured < end]

    def figures(self):
        found = {**self._delays(), **self._rates(), **self._stalls(), **self._following(),
                 **self._counts()}
        found["ssim"] = self._ssim()
        found["ssim_db"] = measure.decibels(found["ssim"])
        if self._lane in self._run.competitors:
            found |= self._competitor(self._run.competitors[self._lane])
        return found

    def _competitor(self, flow):
        """Of the time that the viewer's figures are of. Its share: of what is fair."""
        begin, end = self._window
        rate = sum(between(flow.received, begin, end)) / (end - begin)
        fair = statistics.mean(map(self._run.capacity.payload, self._captures()))
        return {"competitor_rate": rate, "competitor_share": rate / fair,
                "competitor_rtt_p95": 1e3 * percentile(between(flow.round_trips, begin, end), 95)}

    def _captures(self):
        """On the capacity's clock."""
        return [picture.captured - self._run.begin for picture in self._viewings[0]]

    def _frames(self):
        return [line for line in self._sessions[0] if line["event"] == "frame"]

    def _dropped(self):
        """Pictures that the first viewer's queue gave up."""
        return sum(line["frames_dropped"] for line in self._sessions[0]
                   if line["event"] == "leave")

    def _delays(self):
        end = self._run.end
        delays = [1e3 * delay for viewing in self._viewings
                  for delay in measure.delays(viewing, end)]
        excess = [1e3 * delay for viewing in self._viewings
                  for delay in measure.excess_delays(viewing, end, self._one_way,
                                                     self._link_payload)]
        found = _percentiles(delays)
        found |= {f"excess_p{percent}": percentile(excess, percent) for percent in (50, 95, 99)}
        return found

    def _link_payload(self, at):
        return self._run.capacity.link_payload(at - self._run.begin)

    def _rates(self):
        rates = [measure.rate(viewing) for viewing in self._viewings]
        mean, best = statistics.mean(rates), self._oracle()
        fair = measure.fair_payload(self._captures(), self._run.capacity, CEILING)
        return {"rate": mean, "oracle": best, "share": mean / max(1.0, best["rate"]),
                "fair_share": on_the_wire(mean) / fair, "jain": measure.jain(rates)}

    def _oracle(self):
        captures = self._captures()
        delays = oracle_delays(self._run.capacity, captures, 1 / measure.FRAMES_PER_SECOND, CEILING,
                               self._one_way)
        return {"rate": measure.oracle_rate(captures, self._run.capacity, CEILING), "share": 1.0,
                **_percentiles([1e3 * delay for delay in delays])}

    def _stalls(self):
        found = {}
        for playout in PLAYOUTS:
            each = [measure.stalls(viewing, self._one_way + playout) for viewing in self._viewings]
            found[f"stalled_{1000 * playout:.0f}"] = statistics.mean(share for share, _ in each)
            found[f"stalls_{1000 * playout:.0f}"] = statistics.mean(count for _, count in each)
        return found

    def _following(self):
        """Over steps of the capacity; not of the many small ones of a mobile trace."""
        found = {"down_pictures": [], "down_ms": [], "return_ms": []}
        if self._scenario.radio or self._scenario.viewers > 1:
            return found
        frames, begin, capacity = self._frames(), self._run.begin, self._run.capacity
        steps = capacity.steps(STEP)
        ends = [begin + change.at for change, _ in steps[1:]] + [self._run.end]
        for (change, ratio), until in zip(steps, ends):
            at, payload = begin + change.at, capacity.payload(change.at)
            if ratio > 1:
                wanted = measure.oracle(payload, CEILING)
                found["return_ms"].append(
                    1e3 * measure.time_to_return(frames, at, until, wanted))
            elif following := measure.follow_down(self._sessions[0], at, until, payload,
                                                  2 * self._one_way, self._dropped() > 0):
                found["down_pictures"].append(following.pictures)
                found["down_ms"].append(1e3 * following.seconds)
        return found

    def _counts(self):
        summaries = self._run.summaries[self._lane]
        forced = self._run.metrics.sum("symcast_group_keyframes_forced_total",
                                       stream=self._lane.name)
        events = sum(line["event"] == "congestion" and line["kind"] in ("rexmt", "dupack")
                     for session in self._sessions for line in session)
        pictures = [picture for viewing in self._viewings for picture in viewing]
        return {"padding": (sum(188 * summary["null_packets"] for summary in summaries)
                            / max(1, sum(summary["bytes"] for summary in summaries))),
                "congestion_events": events / self._scenario.viewers,
                "keyframes_forced": forced / self._scenario.viewers,
                "never_came": sum(not picture.came for picture in pictures) / len(pictures)}

    def _ssim(self):
        """Of what the first viewer saw, with the shortest playout; 0: nothing."""
        plan = measure.on_screen(self._viewings[0], self._one_way + PLAYOUTS[0], self._every)
        if not plan:
            return 0.0
        text = "".join(f"{number} {captured!r} {shown}\n" for number, captured, shown in plan)
        result = subprocess.run([*WITH_PARENT, shown_quality(), source_options(self._scenario),
                                 self._run.recording(self._lane, 0)],
                                input=text, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"{self._lane.name}: {result.stderr.strip()}")
        return statistics.mean(map(float, result.stdout.split()))


def results_of(run, every):
    """{lane: figures}. `every`: pictures per SSIM."""
    return {lane: LaneResult(run, lane, every).figures() for lane in run.lanes}
