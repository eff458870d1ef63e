"""Tables of figures: policies as rows, medians over the seeds with least and most below them; and
in which scenarios a policy is not ahead of the others."""

import math
import statistics
import sys
from dataclasses import dataclass

SAME_DELAY = 2.0  # ms: two p95 nearer than this are equal; the clients' own noise
SAME_SHARE = 0.01


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
Medians over the seeds, below them least..most; of several steps in a run, the worst."""


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
        rows.append(_medians(policy, columns, runs))
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


def not_ahead(policy, results):
    """[(other policy, what it has)] of those that `policy` is not ahead of: p95 lower, at a rate
    equal or higher. `results` as for print_table."""
    if policy not in results:
        return []
    own = _delay_and_share(results[policy])
    found = []
    for other, runs in results.items():
        delay, share = _delay_and_share(runs)
        ahead = own[0] < delay and own[1] >= share - SAME_SHARE
        if other != policy and not ahead:
            behind = delay <= own[0] + SAME_DELAY and share >= own[1] - SAME_SHARE
            found.append((other, f"{'behind' if behind else 'other choice'}: {own[0]:.0f} ms at "
                                 f"{own[1]:.0%}, {other} {delay:.0f} ms at {share:.0%}"))
    return found


def _delay_and_share(runs):
    return median([run["p95"] for run in runs]), median([run["share"] for run in runs])


def print_summary(policy, tables):
    """`tables`: {(scenario's name, congestion control): results}."""
    print(f"\nwhere {policy} is not ahead in p95 at equal or higher rate:")
    found = [(name, control, text) for (name, control), results in tables.items()
             for _, text in not_ahead(policy, results)]
    for name, control, text in found:
        print(f"  {name}, {control}: {text}")
    if not found:
        print("  nowhere")
