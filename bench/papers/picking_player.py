"""A player that fetches segments and picks the rate of each from what the last ones took: paper 002
(Huang et al. 2012, as Kotaru 2014 has it). Pure, but for what fetch() does."""

import statistics
from dataclasses import dataclass

SEGMENT = 4.0  # seconds of media
BUFFER = 240.0  # seconds of media it holds at most
FETCHES = 10  # whose throughput is averaged


@dataclass(frozen=True)
class Picking:
    """`rates`: bit/s, rising; none: any rate. `conservatism`: share of the throughput that is
    asked for at most."""

    conservatism: float
    rates: tuple = ()
    least: float = 235e3
    most: float = 1750e3

    def pick(self, throughputs):
        """From those of the fetches so far, the newest last."""
        if not throughputs:
            return self.least
        wanted = self.conservatism * statistics.mean(throughputs[-FETCHES:])
        if self.rates:
            return max((rate for rate in self.rates if rate <= wanted), default=self.rates[0])
        return min(self.most, max(self.least, wanted))


class Buffer:
    """Seconds of media, drained at rate 1."""

    def __init__(self, level, now):
        self._level = level
        self._at = now

    def level(self, now):
        return max(0.0, self._level - (now - self._at))

    def add(self, seconds, now):
        self._level = self.level(now) + seconds
        self._at = now

    def room_in(self, seconds, now):
        """How long until so much fits; 0: now."""
        return max(0.0, self.level(now) + seconds - BUFFER)


@dataclass(frozen=True)
class Fetch:
    at: float  # when it was asked for
    rate: float  # picked, bit/s
    throughput: float  # bit/s
    buffer: float  # seconds of media, after it


def play(picking, fetch, clock, wait, until, prefilled=0.0):
    """Fetches until that time of clock(). `fetch(bytes)` returns when they are there; `wait`: as
    time.sleep. Returns the fetches, those that ended in time."""
    found = []
    buffer = Buffer(prefilled, clock())
    while True:
        wait(buffer.room_in(SEGMENT, clock()))
        begin = clock()
        if begin >= until:
            return found
        rate = picking.pick([done.throughput for done in found])
        size = int(rate * SEGMENT / 8)
        fetch(size)
        end = clock()
        if end > until:
            return found
        buffer.add(SEGMENT, end)
        found.append(Fetch(begin, rate, 8 * size / (end - begin), buffer.level(end)))
