"""The capacity of a path over time, and the share of it that an oracle would spend on video.

Rates in bit/s. A link's rate counts whole IP packets."""

import bisect
import math
from dataclasses import dataclass

PAYLOAD = 1448 / 1500  # share of a packet: TCP with time stamps
USED = 0.95  # share of the payload: the oracle leaves room for the frames' uneven sizes
# The rate of audio in MPEG-TS and HTTP chunks, and the container's overhead on video: measured at 30
# frames/s, with streams of 2.0 and 4.6 Mbit/s.
SOUND = 120e3
CONTAINER = 1.024


@dataclass(frozen=True)
class Change:
    at: float  # seconds
    rate: float  # of the link; 0 means dark, which loses all packets


class Capacity:
    """`changes` are in order, the first at the beginning. `share` maps a time to one viewer's share
    of the link."""

    def __init__(self, changes, share=lambda at: 1.0):
        self.changes = changes
        self._times = [change.at for change in changes]
        self._share = share

    def link(self, at):
        return self.changes[self._index(at)].rate

    def payload(self, at):
        """TCP payload rate of one viewer."""
        return PAYLOAD * self._share(at) * self.link(at)

    def link_payload(self, at):
        """TCP payload rate of the whole link, over all flows; of a dark link, the rate before."""
        index = self._index(at)
        while index > 0 and self.changes[index].rate == 0:
            index -= 1
        return PAYLOAD * self.changes[index].rate

    def passed(self, begin, bits):
        """Time at which the whole link, from `begin` on, has carried `bits` of TCP payload; infinite if
        it never does."""
        index = self._index(begin)
        while True:
            end = self._times[index + 1] if index + 1 < len(self._times) else math.inf
            payload = PAYLOAD * self.changes[index].rate
            if payload > 0 and begin + bits / payload <= end:
                return begin + bits / payload
            if end == math.inf:
                return math.inf
            bits -= payload * (end - begin)
            begin, index = end, index + 1

    def steps(self, factor):
        """[(change, ratio to the rate before)] of changes by at least `factor`, up or down. Includes
        changes out of the dark, but not into it, where there is no rate to follow."""
        found = []
        for before, change in zip(self.changes, self.changes[1:]):
            ratio = change.rate / before.rate if before.rate else math.inf
            if ratio >= factor or 0 < ratio <= 1 / factor:
                found.append((change, ratio))
        return found

    def _index(self, at):
        return max(0, bisect.bisect_right(self._times, at) - 1)


def on_the_wire(video):
    """The payload rate of video with this rate, its container and audio."""
    return SOUND + CONTAINER * video


def oracle(payload, ceiling):
    """The video rate of an oracle that knows the path's capacity."""
    return max(0.0, min(ceiling, (USED * payload - SOUND) / CONTAINER))


def oracle_delays(capacity, captures, interval, ceiling, one_way):
    """Delays of frames captured at `captures`, one per `interval`, each of the oracle's size, with the
    link to itself: a lower bound for any policy that cannot see the future. It does not include loss,
    bursts, and cross traffic."""
    found = []
    free = captures[0]
    for at in captures:
        video = oracle(capacity.payload(at), ceiling)
        free = capacity.passed(max(free, at), on_the_wire(video) * interval)
        found.append(free + one_way - at)
    return found
