"""A player that fetches segments and picks the rate of each by the throughput of the last ones: paper
002 (Huang et al. 2012, as described by Kotaru 2014). No I/O except in fetch()."""

import statistics
from dataclasses import dataclass

SEGMENT = 4.0  # seconds of media
BUFFER = 240.0  # seconds of media that it holds at most
FETCHES = 10  # fetches whose throughput is averaged


@dataclass(frozen=True)
class Picking:
    """`rates`: bit/s, rising; empty allows any rate. `conservatism`: largest share of the throughput
    that it picks."""

    conservatism: float
    rates: tuple = ()
    least: float = 235e3
    most: float = 1750e3

    def pick(self, throughputs):
        """Picks a rate from the throughputs of the fetches so far, the newest last."""
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
        """Time until that many seconds of media fit; 0 if they fit now."""
        return max(0.0, self.level(now) + seconds - BUFFER)


@dataclass(frozen=True)
class Fetch:
    at: float  # time of the request
    rate: float  # picked, bit/s
    throughput: float  # bit/s
    buffer: float  # seconds of media after the fetch


def play(picking, fetch, clock, wait, until, prefilled=0.0):
    """Fetches until clock() reaches `until`. `fetch(bytes)` returns when they have arrived; `wait` is
    like time.sleep. Returns the fetches that ended in time."""
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
