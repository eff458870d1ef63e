"""The figures of bench/hostile, from logs and arrivals. No I/O, no clock."""

import datetime
import re

from netlab.timeline import TICKS_PER_SECOND

WRAP = 2 ** 33 / TICKS_PER_SECOND  # seconds after which timestamps of MPEG-TS restart
MEGABYTE = 1e6
LINE = re.compile(r"^(?P<time>\S+) (?P<level>\w+) (?P<event>\w+) stream=(?P<stream>\S+)(?P<rest>.*)$", re.M)
REASON = re.compile(r'\breason=(?:"((?:[^"\\]|\\.)*)"|(\S+))')


def lines_of(log, stream):
    """[(seconds, level, event, reason or the rest)] of one stream."""
    found = []
    for line in LINE.finditer(log):
        if line["stream"] == stream:
            reason = REASON.search(line["rest"])
            text = next(part for part in reason.groups() if part is not None) if reason else line["rest"].strip()
            at = datetime.datetime.fromisoformat(line["time"]).timestamp()
            found.append((at, line["level"], line["event"], text))
    return found


def verdict(log, stream):
    """(seconds from the stream's addition to the first line that names it as bad, the last reason, whether it
    played). None for what the log does not say."""
    lines = lines_of(log, stream)
    added = next((at for at, _, event, _ in lines if event == "stream_added"), None)
    warnings = [(at, event, text) for at, level, event, text in lines
                if level in ("warning", "error") and event.startswith("source_")]
    lost = [text for _, event, text in warnings if event == "source_lost"]
    reason = lost[-1] if lost else f"{warnings[-1][1]}: {warnings[-1][2]}" if warnings else None
    named = warnings[0][0] - added if warnings and added is not None else None
    played = any(event in ("source_connected", "source_restored") for _, _, event, _ in lines)
    return named, reason, played


def longest_gap(arrivals, begin, end):
    """The longest time without an arrival from `begin` to `end`; all in seconds."""
    times = [begin, *(at for at in arrivals if begin <= at < end), end]
    return max(later - earlier for earlier, later in zip(times, times[1:]))


def shortened(text, length):
    return text if len(text) <= length else text[:length - 1] + "…"


def megabytes(size):
    return "-" if size is None else f"{size / MEGABYTE:.0f}"


class Arrivals:
    """Of the pictures of several viewers: [(viewer, arrival in seconds, PTS in ticks, bytes)]. A picture is late
    by the time since its timestamp, above the least of all pictures."""

    def __init__(self, pictures):
        self._pictures = pictures
        self._viewers = {viewer for viewer, *_ in pictures}
        lags = [at - pts / TICKS_PER_SECOND for _, at, pts, _ in pictures]
        first = lags[0] if lags else 0.0
        lags = [(lag - first + WRAP / 2) % WRAP - WRAP / 2 for lag in lags]
        least = min(lags, default=0.0)
        self._late = [(at, lag - least) for (_, at, _, _), lag in zip(pictures, lags)]

    def late(self, percent, begin, end):
        """A percentile, in seconds, of the pictures that arrived in that time; None without pictures."""
        late = sorted(lag for at, lag in self._late if begin <= at < end)
        return late[(len(late) - 1) * percent // 100] if late else None

    def gap(self, begin, end):
        """The longest time without a picture, of any viewer."""
        return max((longest_gap([at for who, at, _, _ in self._pictures if who == viewer], begin, end)
                    for viewer in self._viewers), default=end - begin)

    def rate(self, begin, end):
        """bit/s of video, for each viewer."""
        size = sum(size for _, at, _, size in self._pictures if begin <= at < end)
        return 8 * size / (end - begin) / max(1, len(self._viewers))
