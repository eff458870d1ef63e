"""Whether a policy is ahead of the others, and whether it reaches what the design asks for: PASS or
MISS for each scenario and congestion control, from the medians over the seeds. TRADE: another one
has a lower delay for a lower rate, or a higher rate for a higher delay."""

from collections.abc import Callable
from dataclasses import dataclass

from report import Column, median, value_of

SAME_DELAY = 2.0  # ms: two p95 nearer than this are equal; the clients' own noise
SAME_SHARE = 0.01


@dataclass(frozen=True)
class Target:
    """`applies`: of (scenario, congestion control). `value`: of (scenario, one run's figures); None
    where a run has nothing to say. `met`: of the median."""
    column: Column
    limit: str
    applies: Callable
    value: Callable
    met: Callable


def _alone(scenario):
    """Nothing but its own sender and the steps of a lit link make a viewer's delay."""
    return not (scenario.radio or scenario.competitor or scenario.viewers > 1
                or any(rate == 0 for _, rate in scenario.rates)
                or {"loss", "burst_enter"} & scenario.down.keys())


def _beside_cubic(scenario):
    return scenario.competitor and scenario.competitor.congestion_control == "cubic"


def _takes_its_share(scenario, control):
    light_loss = control == "bbr" and scenario.down.get("loss") == 0.005
    return _alone(scenario) or _beside_cubic(scenario) or light_loss


def _of_bulk_queue(scenario, figures):
    """The viewer's queueing by the bulk flow's."""
    queue = figures["competitor_rtt_p95"] - scenario.rtt_ms
    return figures["excess_p95"] / max(1.0, queue)


def _figure(column):
    return lambda scenario, figures: value_of(column, figures)


EXCESS, SHARE = Column("excess95 ms", "excess_p95"), Column("share %", "share", 100)
DOWN, RETURN = Column("down pic", "down_pictures"), Column("return ms", "return_ms")

# The numbers that the design is to reach.
TARGETS = (
    Target(EXCESS, "<= 100", lambda scenario, control: _alone(scenario), _figure(EXCESS),
           lambda value: value <= 100),
    Target(SHARE, ">= 90", _takes_its_share, _figure(SHARE), lambda value: value >= 0.9),
    Target(DOWN, "<= 1", lambda scenario, control: True, _figure(DOWN), lambda value: value <= 1),
    Target(RETURN, "<= 1000", lambda scenario, control: True, _figure(RETURN),
           lambda value: value <= 1000),
    Target(Column("of bulk queue", "", 1, 2), "<= 1.2",
           lambda scenario, control: _beside_cubic(scenario), _of_bulk_queue,
           lambda value: value <= 1.2))


def judged(target, scenario, control, runs):
    """(PASS or MISS, text); None: does not apply."""
    if not target.applies(scenario, control):
        return None
    value = median([target.value(scenario, figures) for figures in runs])
    if value is None:
        return None
    return "PASS" if target.met(value) else "MISS", target.column.text(value)


def not_ahead(policy, results):
    """[(other policy, standing, what it has)] of those that `policy` is not ahead of: p95 lower, at
    a rate equal or higher. `results`: {policy: [figures of each seed]}."""
    own = _delay_and_share(results[policy])
    found = []
    for other, runs in results.items():
        its = _delay_and_share(runs)
        if other != policy and not (own[0] < its[0] and own[1] >= its[1] - SAME_SHARE):
            found.append((other, _standing(own, its), f"{own[0]:.0f} ms at {own[1]:.0%}, {other} "
                                                      f"{its[0]:.0f} ms at {its[1]:.0%}"))
    return found


def _delay_and_share(runs):
    return median([run["p95"] for run in runs]), median([run["share"] for run in runs])


def _standing(own, its):
    if abs(its[0] - own[0]) <= SAME_DELAY and abs(its[1] - own[1]) <= SAME_SHARE:
        return "level"
    if its[0] <= own[0] + SAME_DELAY and its[1] >= own[1] - SAME_SHARE:
        return "behind"
    return "trade"


def ahead(policy, results):
    """(PASS, MISS or TRADE, the others that make it so)."""
    others = not_ahead(policy, results)
    missed = [other for other, standing, _ in others if standing != "trade"]
    word = "MISS" if missed else "TRADE" if others else "PASS"
    return word, ",".join(missed or [other for other, *_ in others])


def _row(policy, scenario, control, results):
    """[(word, text) or None]: each target, then the others."""
    return [*(judged(target, scenario, control, results[policy]) for target in TARGETS),
            ahead(policy, results)]


def _cell(judgement):
    return "-" if judgement is None else " ".join(judgement).strip()


def _count(judgements):
    known = [judgement for judgement in judgements if judgement is not None]
    passed = sum(word == "PASS" for word, _ in known)
    return f"{passed} of {len(known)}" if known else "-"


def print_summary(policy, tables):
    """`tables`: [(scenario, congestion control, {policy: [figures of each seed]})]."""
    known = [table for table in tables if policy in table[2]]
    if not known:
        print(f"\nno figures of {policy} to be judged")
        return
    rows = {f"{scenario.name} {control}": _row(policy, scenario, control, results)
            for scenario, control, results in known}
    lines = [["", *(target.column.head for target in TARGETS), "ahead of all"],
             ["to reach", *(target.limit for target in TARGETS), "in p95"]]
    lines += [[name, *map(_cell, row)] for name, row in rows.items()]
    lines.append(["PASS", *map(_count, zip(*rows.values()))])
    widths = [max(map(len, cells)) for cells in zip(*lines)]
    print(f"\n{policy}: what the design asks for, and whether it is ahead in p95 at equal or "
          "higher rate\n(TRADE: others have less delay at a lower rate, or more rate at a higher "
          "delay)")
    for line in lines:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths)).rstrip())
    _print_not_ahead(policy, known)


def _print_not_ahead(policy, tables):
    found = [f"  {scenario.name}, {control}: {standing}: {text}"
             for scenario, control, results in tables
             for _, standing, text in not_ahead(policy, results)]
    print(f"\nwhere {policy} is not ahead in p95 at equal or higher rate:",
          *(found or ["  nowhere"]), sep="\n")
