"""Frame delays from the records of a viewer and the server, and rates over time. All times are
CLOCK_MONOTONIC seconds, as from time.monotonic()."""

import json
import threading
import time

TICKS_PER_SECOND = 90_000  # of MPEG-TS time stamps
FRAMES_PER_SECOND = 30  # of the test source


def read_trace(directory, stream="live"):
    """The server's trace lines of all sessions of one stream."""
    return [json.loads(line)
            for path in sorted(directory.glob(f"{stream}-*.jsonl"))
            for line in path.read_text().splitlines()]


def read_sessions(directory):
    """{address: trace lines} for viewers that connected once each."""
    traces = [[json.loads(line) for line in path.read_text().splitlines()]
              for path in directory.glob("*.jsonl")]
    return {lines[0]["address"]: lines for lines in traces}


def decisions_and_causes(lines):
    """[(decision, kinds of the congestion events since the decision before)] from the trace lines of one
    session, in their order."""
    found, kinds = [], set()
    for line in lines:
        if line["event"] == "congestion":
            kinds.add(line["kind"])
        elif line["event"] == "decision":
            found.append((line, kinds))
            kinds = set()
    return found


def picture_delays(pictures, trace):
    """[(captured, delay)]: from capture to arrival of the last byte at the viewer. A frame that never
    arrived counts as late until the next one that did, as its viewer sees an older frame until then.
    `trace`: lines of this viewer's session only."""
    delays = []
    for line, picture in match_pictures(pictures, trace):
        captured, arrived = line["captured"], picture["arrival_ns"] / 1e9
        if delays:
            before = delays[-1][0]
            for missing in range(1, round((captured - before) * FRAMES_PER_SECOND)):
                due = before + missing / FRAMES_PER_SECOND
                delays.append((due, arrived - due))
        delays.append((captured, arrived - captured))
    return delays


def match_pictures(pictures, trace):
    """[(trace line, received frame)], matched by time stamp. The muxer adds a constant to all time
    stamps; the first frame sent and the first one received give that offset. `trace`: lines of this
    viewer's session only."""
    sent = [line for line in trace if line["event"] == "frame"]
    offset = pictures[0]["pts"] - sent[0]["pts"]
    lines = {round((line["pts"] + offset) * TICKS_PER_SECOND): line for line in sent}
    matches = []
    for picture in pictures:
        ticks = round(picture["pts"] * TICKS_PER_SECOND)
        near = [t for t in (ticks, ticks - 1, ticks + 1) if t in lines]  # either may have rounded
        if not near:
            raise ValueError(f"the picture at {picture['pts']} s is not in the trace")
        matches.append((lines[near[0]], picture))
    return matches


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def between(samples, begin, end):
    """Values of (time, value) samples in [begin, end)."""
    return [value for when, value in samples if begin <= when < end]


class RateWatch:
    """Samples a stream's rates from /metrics while the `with` block runs."""

    INTERVAL = 0.1  # seconds; a scrape takes 2 ms

    def __init__(self, daemon, stream="live"):
        self._daemon = daemon
        self._stream = stream
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.targets = []  # (time, target in bit/s) of each group with viewers
        self.actuals = []  # (time, video bit/s of the last second) of each group with viewers

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _run(self):
        while not self._stop.wait(self.INTERVAL):
            now = time.monotonic()
            metrics = self._daemon.metrics()
            busy = [labels["group"] for name, labels, value in metrics.samples
                    if name == "symcast_group_viewers" and value > 0
                    and labels["stream"] == self._stream]
            for group in busy:
                for kind, into in (("target", self.targets), ("actual", self.actuals)):
                    name = f"symcast_group_rate_{kind}_bits_per_second"
                    values = metrics.all(name, stream=self._stream, group=group)
                    into.extend((now, value) for value in values)
