"""Tables of figures: policies as rows, medians over the seeds with minimum and maximum below them. A
failed run has {"failed": reason} instead of figures."""

import math
import statistics
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    head: str
    key: str
    scale: float = 1
    digits: int = 0
    more_is_better: bool = False

    def text(self, value):
        if value is None:
            return "-"
        return "never" if math.isinf(value) else f"{self.scale * value:.{self.digits}f}"


COLUMNS = (
    Column("p50 ms", "p50"), Column("p95 ms", "p95"), Column("p99 ms", "p99"),
    Column("max ms", "max"), Column("excess95", "excess_p95"),
    Column("fall95 ms", "fall_p95"),
    Column("late %", "late", 100, 1), Column("Mbit/s", "rate", 1e-6, 2, True),
    Column("share %", "share", 100, 1, True), Column("down pic", "down_pictures"),
    Column("down ms", "down_ms"), Column("return ms", "return_ms"),
    Column("SSIM dB", "ssim_db", 1, 2, True), Column("st150 %", "stalled_150", 100, 1),
    Column("st150 n", "stalls_150"), Column("st500 %", "stalled_500", 100, 1),
    Column("st500 n", "stalls_500"), Column("pad %", "padding", 100, 1),
    Column("events", "congestion_events"), Column("forced", "keyframes_forced"),
    Column("gone %", "never_came", 100, 1))
JAIN = Column("Jain", "jain", 1, 3, True)
FAIR = Column("fair %", "fair_share", 100, 1, True)
COMPETITOR = (Column("bulk Mb/s", "competitor_rate", 1e-6, 2, True),
              Column("bulk %", "competitor_share", 100, 1, True),
              Column("bulk RTT95", "competitor_rtt_p95"))

LEGEND = """\
delay: capture to arrival of a frame's last byte at the viewer; a frame that never arrived (gone) is
  late until the next that did. excess95: its p95, minus the one-way delay and the frame's own time
  on the whole link, behind a token bucket at its peak. fall95: p95 of the excess of frames captured
  within 2 s after a fall of the capacity. late: later than 200 ms.
share: of the rate of an oracle, which knows the capacity and uses 95 % of it. fair: rate of video,
  audio and container, as a share of one viewer's part of the link's payload; bulk %: the bulk
  flow's rate, as a share of its part.
down: frames of the source from 5 ms after the first evidence of a fall until they fit together with
  audio (0 means before that), and ms after the fall. Evidence is the earliest ACK that could show
  the fall, once two segments have passed at the new rate. never: they did not fit, or nothing was
  in flight.
return: ms after a rise until the target is 90 % of the oracle's rate, and stays there for 6 frames,
  200 ms. Rises before which the target was already that high do not count.
SSIM: of the first viewer's screen, 150 ms plus the one-way delay after capture.
st150, st500: share of frames that have not arrived 150 or 500 ms plus the one-way delay after
  capture; n: number of gaps in which frames on time are more than 100 ms apart.
pad: share of padding in the bytes. events: REXMT and DUPACK. forced: keyframes.
start: off, itcp, dbr and gcc, which climb by rule or not at all, begin at the ceiling of 6 Mbit/s,
  the others at 2 Mbit/s.
symbiosis also sets TCP's window (with eBPF) and its pace, skips and discards frames, and pads, so its
  row of "cubic" is CUBIC within these limits. pudica, camel and vidaptive set the pace,
  and vidaptive skips frames.
oracle: calculated. It follows the capacity at once; its delays are a lower bound, without loss,
  cross traffic and the bursts of a token bucket.
Medians over the seeds, of an even number the worse of the middle two; below them min..max; of
  several steps in a run, the worst. A number behind a policy's name means that it has figures of
  that many seeds only."""


def counted(runs):
    """The runs that have figures."""
    return [run for run in runs if "failed" not in run]


def value_of(column, figures):
    """A run's value, of several steps the worst; None if the column does not apply."""
    value = figures.get(column.key)
    return max(value, default=None) if isinstance(value, list) else value


def columns_of(scenario):
    columns = COLUMNS
    if scenario.shared:
        columns += (FAIR,)
    if scenario.viewers > 1:
        columns += (JAIN,)
    if scenario.competitor:
        columns += COMPETITOR
    return columns


def median(values, more_is_better=False):
    """Median of the values that apply, of an even number the worse of the middle two. Infinity is
    larger than all others."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return statistics.median_low(known) if more_is_better else statistics.median_high(known)


def median_of(column, runs):
    return median([value_of(column, figures) for figures in runs], column.more_is_better)


def _medians(name, columns, runs):
    return [name, *(column.text(median_of(column, runs)) for column in columns)]


def _spread(columns, runs):
    def text(column):
        known = [value for figures in runs if (value := value_of(column, figures)) is not None]
        return f"{column.text(min(known))}..{column.text(max(known))}" if known else ""

    return ["", *(text(column) for column in columns)]


def _print_failed(results):
    for policy, runs in results.items():
        for run in runs:
            if "failed" in run:
                print(f"failed: {policy} seed {run['seed']}: {run['failed']}")


def _print_mixed(results):
    """Names the rows that have figures of older builds."""
    newest = max((run for runs in results.values() for run in runs),
                 key=lambda run: run.get("measured", 0))
    policies = [policy for policy, runs in results.items()
                if any(run.get("build") != newest.get("build") for run in runs)]
    if policies:
        print(f"figures of older builds of symcast: {', '.join(policies)}")


def print_table(scenario, congestion_control, results, left_out=0):
    """`results`: {policy: [figures of each seed]}; `left_out`: number of figures not in `results`."""
    columns = columns_of(scenario)
    figures_of = {policy: counted(runs) for policy, runs in results.items()}
    seeds = max(map(len, figures_of.values()))
    rows = [["", *(column.head for column in columns)]]
    for policy, runs in figures_of.items():
        fewer = f" ({len(runs)})" if len(runs) < seeds else ""
        rows.append(_medians(policy + fewer, columns, runs))
        if seeds > 1:
            rows.append(_spread(columns, runs))
    rows.append(_medians("oracle", columns,
                         [figures["oracle"] for runs in figures_of.values() for figures in runs]))
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    print(f"\n{scenario.name}, {congestion_control}: {scenario.what}; seeds: {seeds}")
    for name, *cells in rows:
        print(f"{name:<{widths[0]}}"
              + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:])))
    _print_failed(results)
    _print_mixed(results)
    if left_out:
        print(f"left out: {left_out} figures of older definitions")
    sys.stdout.flush()
