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

    def text(self, value):
        if value is None:
            return "-"
        return "never" if math.isinf(value) else f"{self.scale * value:.{self.digits}f}"


COLUMNS = (
    Column("p50 ms", "p50"), Column("p95 ms", "p95"), Column("p99 ms", "p99"),
    Column("max ms", "max"), Column("excess95", "excess_p95"),
    Column("late %", "late", 100, 1), Column("Mbit/s", "rate", 1e-6, 2),
    Column("share %", "share", 100, 1), Column("down pic", "down_pictures"),
    Column("down ms", "down_ms"), Column("return ms", "return_ms"),
    Column("SSIM dB", "ssim_db", 1, 2), Column("st150 %", "stalled_150", 100, 1),
    Column("st150 n", "stalls_150"), Column("st500 %", "stalled_500", 100, 1),
    Column("st500 n", "stalls_500"), Column("pad %", "padding", 100, 1),
    Column("events", "congestion_events"), Column("forced", "keyframes_forced"),
    Column("gone %", "never_came", 100, 1))
JAIN = Column("Jain", "jain", 1, 3)
COMPETITOR = (Column("bulk Mb/s", "competitor_rate", 1e-6, 2),
              Column("bulk RTT95", "competitor_rtt_p95"))

LEGEND = """\
delay: capture to arrival of a picture's last byte at the viewer; one that never came (gone) is
  late until the next that did. excess95: its p95 less the one-way delay and the picture's own time
  on the link. late: later than 200 ms.
share: of the rate of an oracle, which knows the capacity and uses 95 % of it.
down: pictures captured after the first evidence of a fall until they fit (0: before a whole picture
  was acknowledged at the new rate), and ms after the fall.
return: ms after a rise until 90 % of the oracle's rate is asked for.
SSIM: of what was on the screen 150 ms and the one-way delay after capture.
st150, st500: share of pictures not there so many ms and the one-way delay after capture, and how
  often that began. pad: padding's share of the bytes. events: REXMT and DUPACK. forced: keyframes.
oracle: by calculation. It obeys the capacity at once; its delays are a floor, without loss, without
  others' queues, and but for a token bucket's bursts.
Medians over the seeds, below them least..most; of several steps in a run, the worst. A number
  behind a policy's name: it has figures of so many seeds only."""


def value_of(column, figures):
    """One run's; of several steps the worst. None: does not apply."""
    value = figures.get(column.key)
    return max(value, default=None) if isinstance(value, list) else value


def columns_of(scenario):
    columns = COLUMNS
    if scenario.viewers > 1:
        columns += (JAIN,)
    if scenario.competitor:
        columns += COMPETITOR
    return columns


def median(values):
    """Of those that apply; infinite ones are larger than all."""
    known = [value for value in values if value is not None]
    return statistics.median_low(known) if known else None


def _medians(name, columns, runs):
    return [name, *(column.text(median([value_of(column, figures) for figures in runs]))
                    for column in columns)]


def _spread(columns, runs):
    def text(column):
        known = [value for figures in runs if (value := value_of(column, figures)) is not None]
        return f"{column.text(min(known))}..{column.text(max(known))}" if known else ""

    return ["", *(text(column) for column in columns)]


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
    sys.stdout.flush()
