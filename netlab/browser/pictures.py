"""Evaluates a recording of pictures (recording.mjs): stalls, ages, missing pictures. Times are
CLOCK_MONOTONIC seconds."""

import copy
import math
import statistics

STILL = 0.3  # seconds without a new picture that count as a stall


class Pictures:
    """The pictures of a recording that were captured after `since`."""

    def __init__(self, seen, since=-math.inf):
        self.recording = seen
        self.ended = seen["ended"]
        read = [picture["captured"] - picture["mediaTime"] for picture in seen["pictures"]
                if picture["captured"] is not None]
        assert read, "no picture could be read"
        self.began = statistics.median(read)  # when media time 0 was captured
        self._pictures = [picture for picture in seen["pictures"]
                          if self.began + picture["mediaTime"] > since]

    def before(self, end):
        """Those of them that were shown before `end`."""
        earlier = copy.copy(self)
        earlier._pictures = [picture for picture in self._pictures if picture["shown"] < end]
        return earlier

    def shown(self):
        return [picture["shown"] for picture in self._pictures]

    def captured(self):
        return [self.began + picture["mediaTime"] for picture in self._pictures]

    def sizes(self):
        return [picture["size"] for picture in self._pictures]

    def size_changes(self):
        sizes = self.sizes()
        return sum(before != after for before, after in zip(sizes, sizes[1:]))

    def stalls(self, begin, end):
        """The length of each stall, cut to [begin, end)."""
        shown = [*self.shown(), self.ended]
        cut = [(max(begin, before), min(end, after)) for before, after in zip(shown, shown[1:])
               if after - before > STILL]
        return [after - before for before, after in cut if after > before]

    def ages(self, begin, end, every=0.1):
        """[(time, age of the picture on the screen)], one for each `every` seconds."""
        result, at = [], begin
        pictures = list(zip(self.shown(), self.captured(), [*self.shown()[1:], self.ended]))
        for _, captured, until in pictures:
            while at < min(until, end):
                result.append((at, at - captured))
                at += every
        return result

    def newest(self):
        """When the last picture that could be read was captured; right also if media times jumped."""
        return [picture["captured"] for picture in self._pictures if picture["captured"] is not None][-1]

    def age(self):
        """Age of that picture now: at most a fifth of a second more than of the one on the screen."""
        return self.ended - self.newest()

    def told_wrong(self, count):
        """By how many seconds the page displayed a wrong age: the median of the last `count` pictures."""
        last = self._pictures[-count:]
        ages = [picture["shown"] - self.began - picture["mediaTime"] for picture in last]
        return statistics.median(math.inf if picture["told"] is None else abs(picture["told"] - age)
                                 for picture, age in zip(last, ages))

    def unseen(self):
        """Pictures shown between two recorded ones: the page's callback was late, not the picture."""
        counts = [picture["count"] for picture in self._pictures]
        return counts[-1] - counts[0] + 1 - len(counts)

    def steps(self, rate):
        """Time from each recorded picture to the next, in frames of a stream of `rate` frames/s, without
        those over which the player has jumped to get back to live."""
        pairs = zip(self._pictures, self._pictures[1:])
        return [rate * (after["mediaTime"] - before["mediaTime"]) for before, after in pairs
                if after["seeks"] == before["seeks"]]
