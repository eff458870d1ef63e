"""Statistics of the pages."""

import collections
import itertools
import statistics


MOST = 0.8  # share of the seeds


def in_most(holds):
    """Verdict on a claim from its verdict for each seed (True, False, or None if undecided). True or
    False if most of the decided seeds agree; otherwise None."""
    told = [one for one in holds if one is not None]
    if not told:
        return None
    share = sum(told) / len(told)
    return True if share >= MOST else False if 1 - share >= MOST else None


def less(values, others):
    """For each seed, whether the first value is less; None if the two are equal."""
    return [None if value == other else value < other for value, other in zip(values, others)]


def signed_rank(values, others):
    """Wilcoxon's signed-rank test of pairs, exact and two-sided: the probability of such one-sided
    differences if both directions were equally likely. Leaves out pairs without a difference; None if
    no pair has one."""
    differences = [value - other for value, other in zip(values, others) if value != other]
    if not differences:
        return None
    sizes = sorted(map(abs, differences))
    # Ranks are doubled, so that the mean rank of equal sizes is an integer.
    ranks = [sizes.index(abs(each)) + len(sizes) - sizes[::-1].index(abs(each)) + 1
             for each in differences]
    sums = collections.Counter({0: 1})  # of the positive ranks, over all choices of signs
    for rank in ranks:
        sums = sums + collections.Counter({total + rank: ways for total, ways in sums.items()})
    positive = sum(rank for rank, each in zip(ranks, differences) if each > 0)
    least = min(positive, sum(ranks) - positive)
    return min(1, 2 * sum(ways for total, ways in sums.items() if total <= least)
               / 2 ** len(ranks))


def spread(values, digits=2):
    """"median (least to most)"."""
    if not values:
        return "-"
    least, most = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    middle = f"{statistics.median(values):.{digits}f}"
    return middle if least == most else f"{middle} ({least} to {most})"


def mean_deviation(values, digits=2):
    """"mean ± standard deviation", as in the papers."""
    if not values:
        return "-"
    return f"{statistics.mean(values):.{digits}f} ± {statistics.pstdev(values):.{digits}f}"


def ranked(values, descending=True):
    """Names, best first; `values`: {name: value}."""
    return sorted(values, key=values.get, reverse=descending)


def kendall(one, other):
    """Kendall's rank correlation of two orders of the same names: 1 if they agree, -1 if one is the
    reverse of the other."""
    pairs = list(itertools.combinations(one, 2))
    agree = sum(other.index(first) < other.index(second) for first, second in pairs)
    return 2 * agree / len(pairs) - 1
