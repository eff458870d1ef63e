"""Tables of figures: policies as rows, medians over the seeds with least and most below them."""

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
delay: capture to arrival of a picture's last byte at the viewer; one that never came (gone) is
  late until the next that did. excess95: its p95 less the one-way delay and the picture's own time
  on the whole link. late: later than 200 ms.
share: of the rate of an oracle, which knows the capacity and uses 95 % of it. fair: video, sound
  and container by what is one viewer's of the payload that the link carries; bulk %: likewise.
down: pictures captured after the first evidence of a fall until they fit (0: before any), and ms
  after the fall. Evidence: an ACK of a picture or its head, REXMT or DUPACK, once a segment has
  passed at the new rate; never: they did not fit, or there was none.
return: ms after a rise until 90 % of the oracle's rate is asked for, and is for 6 pictures, 200 ms.
SSIM: of what was on the screen 150 ms and the one-way delay after capture.
st150, st500: share of pictures not there so many ms and the one-way delay after capture, late or
  gone, and how often (n) no new one came up for longer than 100 ms.
pad: padding's share of the bytes. events: REXMT and DUPACK. forced: keyframes.
start: off, itcp and dbr, which only give way and climb by rule, begin at the ceiling of 6 Mbit/s,
  the others at 2 Mbit/s.
oracle: by calculation. It obeys the capacity at once; its delays are a floor, without loss, without
  others' queues, and but for a token bucket's bursts.
Medians over the seeds, of an even number the worse of the middle two; below them least..most; of
  several steps in a run, the worst. A number behind a policy's name: it has figures of so many
  seeds only."""


def value_of(column, figures):
    """One run's; of several steps the worst. None: does not apply."""
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
    """Of those that apply, of an even number the worse one of the middle two; infinite ones are
    larger than all."""
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


def _print_mixed(results):
    """Names the rows that have other figures than the newest one's kind."""
    newest = max((run for runs in results.values() for run in runs),
                 key=lambda run: run.get("measured", 0))
    for key, note in (("build", "of another build of symcast than the newest"),
                      ("definition", "defined otherwise than the newest")):
        policies = [policy for policy, runs in results.items()
                    if any(run.get(key) != newest.get(key) for run in runs)]
        if policies:
            print(f"figures {note}: {', '.join(policies)}")


def print_table(scenario, congestion_control, results):
    """`results`: {policy: [figures of each seed]}."""
    columns = columns_of(scenario)
    seeds = max(map(len, results.values()))
    rows = [["", *(column.head for column in columns)]]
    for policy, runs in results.items():
        fewer = f" ({len(runs)})" if len(runs) < seeds else ""
        rows.append(_medians(policy + fewer, columns, runs))
        if seeds > 1:
            rows.append(_spread(columns, runs))
    rows.append(_medians("oracle", columns,
                         [figures["oracle"] for runs in results.values() for figures in runs]))
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    print(f"\n{scenario.name}, {congestion_control}: {scenario.what}; seeds: {seeds}")
    for name, *cells in rows:
        print(f"{name:<{widths[0]}}"
              + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths[1:])))
    _print_mixed(results)
    sys.stdout.flush()
