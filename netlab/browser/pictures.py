"""What a recording of pictures (recording.mjs) tells: stalls, ages, what is missing. Times are
CLOCK_MONOTONIC seconds."""

import statistics

STILL = 0.3  # seconds without a new picture that are a stall


class Pictures:
    """Of a step `record`."""

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
        """Of each its length, as far as it lies within [begin, end)."""
        shown = [*self.shown(), self.ended]
        cut = [(max(begin, before), min(end, after)) for before, after in zip(shown, shown[1:])
               if after - before > STILL]
        return [after - before for before, after in cut if after > before]

    def ages(self, begin, end, every=0.1):
        """How old what is on the screen was, now and then: [(time, seconds)]."""
        result, at = [], begin
        pictures = list(zip(self.shown(), self.captured(), [*self.shown()[1:], self.ended]))
        for _, captured, until in pictures:
            while at < min(until, end):
                result.append((at, at - captured))
                at += every
        return result

    def unseen(self):
        """Pictures that went by between two that were looked at: the page was late, not the picture."""
        counts = [picture["count"] for picture in self._pictures]
        return counts[-1] - counts[0] + 1 - len(counts)

    def steps(self, rate):
        """From each picture looked at to the next, in pictures of a stream of `rate` per second."""
        times = [picture["mediaTime"] for picture in self._pictures]
        return [rate * (after - before) for before, after in zip(times, times[1:])]
