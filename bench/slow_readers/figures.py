"""When slow viewers had been moved. No I/O, no clock."""


def slow_viewers(metrics, rate):
    """How many viewers watch groups with less than `rate` (bit/s)."""
    return sum(viewers for name, labels, viewers in metrics.samples if name == "symcast_group_viewers"
               and metrics.sum("symcast_group_rate_actual_bits_per_second", **labels) < rate)


def times_of(samples, viewers):
    """From when on at least `viewers` watched such groups, to the end of [(seconds, viewers)]; "no"
    if they do not at the end."""
    since = "no"
    for at, moved in samples:
        if moved < viewers:
            since = "no"
        elif since == "no":
            since = f"{at:.1f}"
    return since


def moved_by(samples, seconds):
    """How many watched such groups at that time."""
    return int(max((at, moved) for at, moved in samples if at <= seconds)[1])
