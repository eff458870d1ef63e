"""Compares a policy with the others on the same path, by the medians of p95 and share over the seeds
that both have. It is "ahead" with a lower p95, and "level" with an equal p95, at an equal or higher
rate; it is a "trade" with less delay at a lower rate, or more rate at a higher delay; otherwise it is
"behind". A share that is up to 1 point lower counts as equal. A policy that failed once is "failed",
and no longer compared.

If the link is shared, no more than the fair share counts, because starving others is no advantage."""

from dataclasses import dataclass

from bench.policies.report import Column, counted, median_of

SAME_DELAY = 2.0  # ms: two p95 nearer than this are equal, given the clients' noise
SAME_SHARE = 0.01  # shares nearer than this are equal
DELAY, SHARE = Column("", "p95"), Column("", "share", more_is_better=True)
BULK = Column("", "competitor_share", more_is_better=True)


@dataclass(frozen=True)
class Standing:
    other: str
    word: str
    text: str  # figures of both


def standings(policy, scenario, results):
    """Standings of `policy` against each other one; "unknown" if they have no seed in common. If a run
    of `policy` failed, the only standing is "failed". `results`: {policy: [figures of each seed]}."""
    failed = [f"seed {run['seed']}: {run['failed']}" for run in results[policy] if "failed" in run]
    if failed:
        return [Standing("failed", "failed", "; ".join(failed))]
    return [_beside(policy, other, scenario, results) for other in results if other != policy]


def ahead(policy, scenario, results):
    """(PASS, LEVEL, TRADE, MISS or UNKNOWN, the other policies that cause this verdict)"""
    found = standings(policy, scenario, results)
    for word, meant in (("failed", "MISS"), ("behind", "MISS"), ("unknown", "UNKNOWN"),
                        ("trade", "TRADE"), ("level", "LEVEL")):
        if others := [standing.other for standing in found if standing.word == word]:
            return meant, ",".join(others)
    return "PASS", ""


def _beside(policy, other, scenario, results):
    own, its = _of_common_seeds(results[policy], results[other])
    if not own:
        return Standing(other, "unknown", f"no seed in common with {other}")
    return Standing(other, _word(_delay_and_share(own, scenario), _delay_and_share(its, scenario)),
                    f"{_text(own)}, {other} {_text(its)}")


def _of_common_seeds(*both):
    both = [counted(runs) for runs in both]
    common = set.intersection(*({run["seed"] for run in runs} for runs in both))
    return [[run for run in runs if run["seed"] in common] for runs in both]


def _delay_and_share(runs, scenario):
    share = median_of(SHARE, runs)
    return median_of(DELAY, runs), min(share, 1.0) if scenario.shared else share


def _word(own, its):
    longer, more = own[0] - its[0], own[1] - its[1]
    if abs(longer) < SAME_DELAY:
        return "level" if more >= -SAME_SHARE else "behind"
    if longer < 0:
        return "ahead" if more >= -SAME_SHARE else "trade"
    return "behind" if more <= SAME_SHARE else "trade"


def _text(runs):
    bulk = median_of(BULK, runs)
    beside = "" if bulk is None else f" (bulk {bulk:.0%})"
    return f"{median_of(DELAY, runs):.0f} ms at {median_of(SHARE, runs):.0%}{beside}"
