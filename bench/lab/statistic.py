"""Statistics of the pages."""

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
