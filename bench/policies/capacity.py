"""What a path carries over time, and the share of it that an oracle would spend on video.

Rates in bit/s. A link's rate counts whole IP packets."""

import bisect
import math
from dataclasses import dataclass

PAYLOAD = 1448 / 1500  # of a packet: TCP with time stamps
USED = 0.95  # of the payload: the oracle leaves room for the pictures' uneven sizes
# What the sound takes in MPEG-TS and HTTP chunks, and what the container adds to the video:
# measured at 30 pictures/s, with streams of 2.0 and 4.6 Mbit/s.
SOUND = 120e3
CONTAINER = 1.024


@dataclass(frozen=True)
class Change:
    at: float  # seconds
    rate: float  # of the link; 0: dark, what it is given is lost


class Capacity:
    """`changes`: in order, the first at the beginning. `share`: function of time, how much of the
    link is one viewer's."""

    def __init__(self, changes, share=lambda at: 1.0):
        self.changes = changes
        self._times = [change.at for change in changes]
        self._share = share

    def link(self, at):
        return self.changes[self._index(at)].rate

    def payload(self, at):
        """What TCP carries for one viewer."""
        return PAYLOAD * self._share(at) * self.link(at)

    def link_payload(self, at):
        """What TCP carries on the whole link, whosever it is; of a dark one what it carried
        before."""
        index = self._index(at)
        while index > 0 and self.changes[index].rate == 0:
            index -= 1
        return PAYLOAD * self.changes[index].rate

    def passed(self, begin, bits):
        """When the whole link has carried so much of TCP's payload, from `begin` on; infinite:
        never."""
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
        """[(change, its rate by the one before)] where it is at least so many times more or less;
        out of the dark too, but not into it: nothing is left to be followed there."""
        found = []
        for before, change in zip(self.changes, self.changes[1:]):
            ratio = change.rate / before.rate if before.rate else math.inf
            if ratio >= factor or 0 < ratio <= 1 / factor:
                found.append((change, ratio))
        return found

    def _index(self, at):
        return max(0, bisect.bisect_right(self._times, at) - 1)


def on_the_wire(video):
    """The payload that video of this rate is, with its container and the sound."""
    return SOUND + CONTAINER * video


def oracle(payload, ceiling):
    """The video rate of one who knows what the path carries."""
    return max(0.0, min(ceiling, (USED * payload - SOUND) / CONTAINER))


def oracle_delays(capacity, captures, interval, ceiling, one_way):
    """Delays of pictures captured then, one per `interval`, each as large as the oracle would have
    it, with the link to itself while they pass: a floor for whoever cannot see the future. What a
    link does beside that is not in it: loss, bursts, and the queue that others keep filled."""
    found = []
    free = captures[0]
    for at in captures:
        video = oracle(capacity.payload(at), ceiling)
        free = capacity.passed(max(free, at), on_the_wire(video) * interval)
        found.append(free + one_way - at)
    return found
