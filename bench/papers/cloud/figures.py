"""Figures of one session. KB are 1000 bytes."""

import itertools
import statistics

BIN = 1.0  # seconds


def binned(arrivals, begin, seconds):
    """KB/s of each second; `arrivals`: [(time, bytes)]."""
    bins = [0.0] * round(seconds / BIN)
    for at, count in arrivals:
        index = int((at - begin) // BIN)
        if 0 <= index < len(bins):
            bins[index] += count / 1000 / BIN
    return bins


def throughput(arrivals, begin, seconds):
    bins = binned(arrivals, begin, seconds)
    return {"kilobytes_per_second": statistics.mean(bins), "deviation": statistics.pstdev(bins),
            "megabytes": sum(bins) * BIN / 1000}


def smoothness(windows):
    """For samples of the congestion window in segments: coefficient of variation, and mean change from
    one sample to the next as a share of the mean."""
    if len(windows) < 2:
        return {"window": None, "window_variation": None, "window_change": None}
    mean = statistics.mean(windows)
    changes = [abs(after - before) for before, after in itertools.pairwise(windows)]
    return {"window": mean, "window_variation": statistics.pstdev(windows) / mean,
            "window_change": statistics.mean(changes) / mean}


def playing(player, seconds):
    """Figures of a player that has ended."""
    return {"played": player.played / seconds, "startup": player.startup,
            "stalls": len(player.stalls), "stalled": sum(player.stalls),
            "rate": statistics.mean(player.rates) if player.rates else None}


def watching(there, period, frozen):
    """Figures of a live stream; `there` says of each frame, one per `period`, whether it was on time.
    The stream stalls without a new frame for longer than `frozen`; a lower frame rate is no stall."""
    missing = [len(list(run)) for is_there, run in itertools.groupby(there) if not is_there]
    stalls = [count * period for count in missing if (count + 1) * period > frozen]
    return {"played": 1 - sum(stalls) / (len(there) * period), "stalls": len(stalls),
            "stalled": sum(stalls), "pictures": sum(there) / len(there)}
