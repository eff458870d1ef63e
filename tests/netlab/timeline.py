"""What happened when: picture delays from a viewer's and the server's records, rates over time.
All times are CLOCK_MONOTONIC seconds, as time.monotonic() gives them."""

import json
import threading
import time

TICKS_PER_SECOND = 90_000  # of MPEG-TS time stamps


def read_trace(directory, stream="live"):
    """The server's trace lines of one stream, of all its sessions."""
    return [json.loads(line)
            for path in sorted(directory.glob(f"{stream}-*.jsonl"))
            for line in path.read_text().splitlines()]


def picture_delays(pictures, trace):
    """[(captured, delay)] of the pictures a viewer received: capture to arrival of the last byte,
    matched with the server's trace by time stamp."""
    captured = {round(line["pts"] * TICKS_PER_SECOND): line["captured"]
                for line in trace if line["event"] == "frame"}
    delays = []
    for picture in pictures:
        ticks = round(picture["pts"] * TICKS_PER_SECOND)
        for near in (ticks, ticks - 1, ticks + 1):  # either side may have rounded
            if near in captured:
                delays.append((captured[near], picture["arrival_ns"] / 1e9 - captured[near]))
                break
    if len(delays) < 0.9 * len(pictures):
        raise ValueError(f"only {len(delays)} of {len(pictures)} pictures are in the trace")
    return delays


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
        self.targets = []  # (time, bit/s asked of the encoder), the least group's
        self.actuals = []  # (time, video bit/s of the last second)

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
