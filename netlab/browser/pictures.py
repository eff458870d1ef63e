"""Evaluates a recording of pictures (recording.mjs): stalls, ages, missing pictures. Times are
CLOCK_MONOTONIC seconds."""

import statistics

STILL = 0.3  # seconds without a new picture that count as a stall


class Pictures:
    """The pictures that a step `record` saw."""

    def __init__(self, seen):
        self.ended = seen["ended"]
        self._pictures = seen["pictures"]
        read = [picture["captured"] - picture["mediaTime"] for picture in self._pictures
                if picture["captured"] is not None]
        assert read, "no picture could be read"
        self.began = statistics.median(read)  # when media time 0 was captured

    def shown(self):
        return [picture["shown"] for picture in self._pictures]

    def captured(self):
        return [self.began + picture["mediaTime"] for picture in self._pictures]

    def sizes(self):
        return [picture["size"] for picture in self._pictures]

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

    def unseen(self):
        """Pictures shown between two recorded ones: the page's callback was late, not the picture."""
        counts = [picture["count"] for picture in self._pictures]
        return counts[-1] - counts[0] + 1 - len(counts)

    def steps(self, rate):
        """Time from each recorded picture to the next, in frames of a stream of `rate` frames/s."""
        times = [picture["mediaTime"] for picture in self._pictures]
        return [rate * (after - before) for before, after in zip(times, times[1:])]
