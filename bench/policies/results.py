"""Turns a run's records into figures: one dictionary per lane, ready for JSON. Delays are in ms."""

import json
import statistics
import subprocess
import traceback

from bench.policies import measure
from bench.policies.capacity import PAYLOAD, on_the_wire, oracle, oracle_delays
from bench.policies.run import source_options
from bench.policies.scenarios import CEILING
from bench.tools import bench_tool
from netlab.timeline import between, match_pictures, percentile

PLAYOUTS = (0.15, 0.5)  # seconds beyond the one-way delay
TAIL = 1  # seconds at the end that are not counted, in which late frames can still arrive
LATE = 200  # ms
# The child ends together with the process that computes the figures.
WITH_PARENT = ("setpriv", "--pdeathsig", "KILL")
STEP = 1.5  # smallest change of the capacity that an encoder has to follow
AFTER_FALL = 2  # seconds
SKIPS = ("symbiosis",)  # policies that skip frames; others encode and drop them


def sessions(directory, stream, viewers):
    """The trace lines of each viewer of a stream, in order of their arrival; empty for a single viewer
    that never reached the server."""
    found = [[json.loads(line) for line in path.read_text().splitlines()]
             for path in directory.glob(f"{stream}-*.jsonl")]
    found = sorted(filter(None, found), key=lambda lines: lines[0]["requested"])
    if not found and viewers == 1:
        return [[]]
    if len(found) != viewers:  # it is not known which viewer is missing
        raise RuntimeError(f"{stream}: {len(found)} sessions of {viewers} viewers")
    return found


def ssim(moments, source, recording):
    """Mean luma SSIM of the pictures on the screen (measure.on_screen()) against the source's; 0 if
    there were none. `source`: options of the test source."""
    if not moments:
        return 0.0
    plan = "".join(f"{number} {captured!r} {shown}\n" for number, captured, shown in moments)
    result = subprocess.run([*WITH_PARENT, bench_tool("shown_quality"), source, recording], input=plan,
                            capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or f"shown_quality: {result.returncode}")
    return statistics.mean(map(float, result.stdout.split()))


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
        self._watched = [self._pictures(*pair)
                         for pair in zip(self._sessions, run.pictures[lane])]
        self._viewings = [[picture for picture in pictures if self._is_counted(picture.captured)]
                          for pictures in self._watched]

    def _is_counted(self, captured):
        begin, end = self._window
        return begin <= captured < end

    def _pictures(self, session, pictures):
        matches = match_pictures(pictures, session) if pictures else []
        came = [(line["number"], line["captured"], picture["arrival_ns"] / 1e9,
                 8 * picture["bytes"]) for line, picture in matches]
        return measure.source_pictures(came, self._window[0], self._run.end)

    def figures(self):
        found = {**self._delays(), **self._rates(), **self._stalls(), **self._following(),
                 **self._counts()}
        found["ssim"] = self._ssim()
        found["ssim_db"] = measure.decibels(found["ssim"])
        if self._lane in self._run.competitors:
            found |= self._competitor(self._run.competitors[self._lane])
        return found

    def _competitor(self, flows):
        """The mean of the bulk flows over the same time as the viewer's figures; its share is of the fair
        rate."""
        begin, end = self._window
        received = sum(sum(between(flow.received, begin, end)) for flow in flows)
        rate = received / len(flows) / (end - begin)
        fair = statistics.mean(map(self._run.capacity.payload, self._captures()))
        times = [time for flow in flows for time in between(flow.round_trips, begin, end)]
        return {"competitor_rate": rate, "competitor_share": rate / fair,
                "competitor_rtt_p95": 1e3 * percentile(times, 95)}

    def _captures(self):
        """Capture times, on the capacity's clock."""
        return [picture.captured - self._run.begin for picture in self._viewings[0]]

    def _delays(self):
        end = self._run.end
        delays = [1e3 * delay for viewing in self._viewings
                  for delay in measure.delays(viewing, end)]
        excess = [(picture.captured, 1e3 * delay) for viewing in self._viewings
                  for picture, delay in zip(viewing, measure.excess_delays(
                      viewing, end, self._one_way, self._own_payload))]
        found = _percentiles(delays) | self._after_falls(excess)
        return found | {f"excess_p{percent}": percentile([delay for _, delay in excess], percent)
                        for percent in (50, 95, 99)}

    def _own_payload(self, at):
        """The rate for a frame that has the link to itself; with a token bucket, its peak."""
        if peak := self._scenario.down.get("peak"):
            return PAYLOAD * peak
        return self._run.capacity.link_payload(at - self._run.begin)

    def _steps(self):
        """[(change of the capacity, ratio to the rate before, time of the next change)]; none for a
        mobile trace, whose changes are many and small."""
        if self._scenario.radio or self._scenario.viewers > 1:
            return []
        steps = self._run.capacity.steps(STEP)
        ends = [change.at for change, _ in steps[1:]] + [self._run.end - self._run.begin]
        return [(change, ratio, end) for (change, ratio), end in zip(steps, ends)]

    def _after_falls(self, excess):
        """`excess`: [(captured, ms)]. Empty if the capacity never falls."""
        falls = [self._run.begin + change.at for change, ratio, _ in self._steps() if ratio < 1]
        found = [delay for fall in falls for delay in between(excess, fall, fall + AFTER_FALL)]
        return {"fall_p95": percentile(found, 95)} if found else {}

    def _rates(self):
        rates = [measure.rate(viewing) for viewing in self._viewings]
        mean, best = statistics.mean(rates), self._oracle()
        fair = measure.fair_payload(self._captures(), self._run.capacity, CEILING)
        return {"rate": mean, "oracle": best, "share": mean / max(1.0, best["rate"]),
                "fair_share": on_the_wire(mean) / fair, "jain": measure.jain(rates)}

    def _oracle(self):
        captures, capacity = self._captures(), self._run.capacity
        interval = 1 / measure.FRAMES_PER_SECOND
        delays = oracle_delays(capacity, captures, interval, CEILING, self._one_way)

        def alone(at):
            bits = oracle(capacity.payload(at), CEILING) * interval
            return bits / self._own_payload(self._run.begin + at)

        excess = [(self._run.begin + at, 1e3 * (delay - self._one_way - alone(at)))
                  for at, delay in zip(captures, delays)]
        return {"rate": measure.oracle_rate(captures, capacity, CEILING), "share": 1.0,
                **_percentiles([1e3 * delay for delay in delays]), **self._after_falls(excess)}

    def _stalls(self):
        found = {}
        for playout in PLAYOUTS:
            each = [measure.stalls(viewing, self._one_way + playout) for viewing in self._viewings]
            found[f"stalled_{1000 * playout:.0f}"] = statistics.mean(share for share, _ in each)
            found[f"stalls_{1000 * playout:.0f}"] = statistics.mean(count for _, count in each)
        return found

    def _following(self):
        """How the encoder followed the steps of the capacity, where there was something to follow."""
        found = {"down_pictures": [], "down_ms": [], "return_ms": []}
        session, begin = self._sessions[0], self._run.begin
        for change, ratio, end in self._steps():
            at, until = begin + change.at, begin + end
            payload = self._run.capacity.payload(change.at)
            if ratio > 1:
                taken = measure.time_to_return(session, at, until, oracle(payload, CEILING))
                found["return_ms"] += [] if taken is None else [1e3 * taken]
            elif following := measure.follow_down(session, at, until, payload, 2 * self._one_way,
                                                  self._lane.control in SKIPS):
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
        """SSIM of the first viewer's screen, with the shortest playout."""
        moments = measure.on_screen(self._watched[0], self._one_way + PLAYOUTS[0], self._every)
        return ssim([moment for moment in moments if self._is_counted(moment[1])],
                    source_options(self._scenario), self._run.recording(self._lane, 0))


def failure(error):
    """The entry of a failed lane, in place of figures."""
    first_line = str(error).partition("\n")[0].rstrip(":")
    return {"failed": f"{type(error).__name__}: {first_line}"}


def results_of(run, every):
    """{lane: figures, or why there are none}. `every`: SSIM is computed for one in this many frames."""
    return {lane: _figures(run, lane, every) for lane in run.lanes}


def _figures(run, lane, every):
    try:
        return LaneResult(run, lane, every).figures()
    except Exception as error:  # any error, because the other lanes still have figures
        traceback.print_exc()
        return failure(error)
