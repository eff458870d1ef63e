"""The figures of bench/hostile, from logs and arrivals. No I/O, no clock."""

import datetime
import re

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
            found.append((datetime.datetime.fromisoformat(line["time"]).timestamp(), line["level"], line["event"], text))
    return found


def verdict(log, stream):
    """(seconds from the stream's addition to the first line that names it as bad, the last reason, whether it
    played). None for what the log does not say."""
    lines = lines_of(log, stream)
    added = next((at for at, _, event, _ in lines if event == "stream_added"), None)
    warnings = [(at, event, text) for at, level, event, text in lines if level in ("warning", "error")]
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
