"""Whether a policy meets the targets of the design, and how it compares with the others: PASS or MISS
for each scenario and congestion control, from the medians over the seeds."""

from collections.abc import Callable
from dataclasses import dataclass

from bench.policies.report import Column, counted, median, value_of
from bench.policies.standing import SAME_DELAY, SAME_SHARE, ahead, standings


@dataclass(frozen=True)
class Target:
    """`applies` is a function of (scenario, congestion control), `met` of the median, and `value` of
    (scenario, a run's figures), with None if the run has no value."""
    column: Column
    limit: str
    applies: Callable
    value: Callable
    met: Callable


def _alone(scenario):
    """Whether only the sender and the steps of a link that is never dark affect a viewer's delay."""
    return not (scenario.radio or scenario.competitor or scenario.viewers > 1
                or any(rate == 0 for _, rate in scenario.rates)
                or {"loss", "burst_enter"} & scenario.down.keys())


def _beside_cubic(scenario):
    return scenario.competitor and scenario.competitor.congestion_control == "cubic"


def _takes_its_share(scenario, control):
    if scenario.content == "static":
        return False  # still content needs less
    light_loss = control == "bbr" and scenario.down.get("loss") == 0.005
    return _alone(scenario) or _beside_cubic(scenario) or light_loss


def _share(scenario, figures):
    """Share of the oracle's rate, or of the fair rate if the link is shared."""
    return figures.get("fair_share" if scenario.shared else "share")


def _of_bulk_queue(scenario, figures):
    """The viewer's queueing delay as a ratio to the bulk flow's."""
    queue = figures["competitor_rtt_p95"] - scenario.rtt_ms
    return figures["excess_p95"] / max(1.0, queue)


def _figure(column):
    return lambda scenario, figures: value_of(column, figures)


EXCESS = Column("excess95 ms", "excess_p95")
SHARE = Column("share %", "share", 100, more_is_better=True)
DOWN, RETURN = Column("down pic", "down_pictures"), Column("return ms", "return_ms")

# The targets of the design.
TARGETS = (
    Target(EXCESS, "<= 100", lambda scenario, control: _alone(scenario), _figure(EXCESS),
           lambda value: value <= 100),
    Target(SHARE, ">= 90", _takes_its_share, _share, lambda value: value >= 0.9),
    Target(DOWN, "<= 1", lambda scenario, control: True, _figure(DOWN), lambda value: value <= 1),
    Target(RETURN, "<= 1000", lambda scenario, control: True, _figure(RETURN),
           lambda value: value <= 1000),
    Target(Column("of bulk queue", "", 1, 2), "<= 1.2",
           lambda scenario, control: _beside_cubic(scenario), _of_bulk_queue,
           lambda value: value <= 1.2))


def judged(target, scenario, control, runs):
    """(PASS or MISS, text), or None if the target does not apply. A policy that failed once misses."""
    if not target.applies(scenario, control):
        return None
    figures = counted(runs)
    value = median([target.value(scenario, each) for each in figures], target.column.more_is_better)
    if figures and value is None:
        return None
    if len(figures) < len(runs):
        return "MISS", "failed"
    return "PASS" if target.met(value) else "MISS", target.column.text(value)


def _row(policy, scenario, control, results):
    """[(word, text) or None]: each target, then the comparison with other policies."""
    return [*(judged(target, scenario, control, results[policy]) for target in TARGETS),
            ahead(policy, scenario, results)]


def _cell(judgement):
    return "-" if judgement is None else " ".join(judgement).strip()


def _count(judgements):
    known = [judgement for judgement in judgements if judgement is not None]
    passed = sum(word == "PASS" for word, _ in known)
    return f"{passed} of {len(known)}" if known else "-"


def print_summary(policy, tables):
    """`tables`: [(scenario, congestion control, {policy: [figures of each seed]}, ...)]."""
    known = [table[:3] for table in tables if policy in table[2]]
    if not known:
        print(f"\nthere are no figures of {policy} to judge")
        return
    rows = {f"{scenario.name} {control}": _row(policy, scenario, control, results)
            for scenario, control, results in known}
    lines = [["", *(target.column.head for target in TARGETS), "ahead of all"],
             ["target", *(target.limit for target in TARGETS), "in p95"]]
    lines += [[name, *map(_cell, row)] for name, row in rows.items()]
    lines.append(["PASS", *map(_count, zip(*rows.values()))])
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    print(f"\n{policy}: targets of the design, and whether it is ahead in p95 at equal or "
          f"higher rate\n(LEVEL: p95 of others is within {SAME_DELAY:g} ms; TRADE: others have less "
          "delay at a lower rate, or more rate at\na higher delay; a share up to "
          f"{100 * SAME_SHARE:g} point lower counts as equal; of a shared link no more than the\n"
          "whole share counts)")
    for line in lines:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths)).rstrip())
    _print_not_ahead(policy, known)


def _print_not_ahead(policy, tables):
    found = [f"  {scenario.name}, {control}: {standing.word}: {standing.text}"
             for scenario, control, results in tables
             for standing in standings(policy, scenario, results) if standing.word != "ahead"]
    print(f"\nwhere {policy} is not ahead in p95 at equal or higher rate:",
          *(found or ["  nowhere"]), sep="\n")
