"""Statistics of the pages."""

import itertools
import statistics


def spread(values, digits=2):
    """"median (least to most)"."""
    if not values:
        return "-"
    least, most = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    middle = f"{statistics.median(values):.{digits}f}"
    return middle if least == most else f"{middle} ({least} to {most})"


def mean_deviation(values, digits=2):
    """"mean ± standard deviation", as the papers have it."""
    if not values:
        return "-"
    return f"{statistics.mean(values):.{digits}f} ± {statistics.pstdev(values):.{digits}f}"


def ranked(values, descending=True):
    """Names, best first; `values`: {name: value}."""
    return sorted(values, key=values.get, reverse=descending)


def kendall(one, other):
    """Kendall's rank correlation of two orders of the same names: 1 when they agree, -1 when one is
    the other backwards."""
    pairs = list(itertools.combinations(one, 2))
    agree = sum(other.index(first) < other.index(second) for first, second in pairs)
    return 2 * agree / len(pairs) - 1
