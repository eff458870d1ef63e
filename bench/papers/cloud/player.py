"""An adaptive player like the sample player of OSMF, the framework that the paper used: one segment
after the other, a playout buffer, real time. No I/O, no clock; `now` in seconds."""

import statistics

SEGMENT = 4.0  # seconds: the fragments of Adobe's packager
# Seconds of media. At first and after a stall the player starts with START (OSMF's
# hdsMinimumBufferTime). Above FULL (with hdsAdditionalBufferTime) it fetches nothing until less than
# START is left.
START, FULL = 4.0, 6.0
CAUTION = 0.8  # share of the measured throughput that an adaptive player counts on
MEASURED = 3  # segments over which throughput is measured


def always_highest(ladder, _throughputs):
    """Chooses the highest rate at any bandwidth, as OSMF's player did (the paper's section 7.2)."""
    return ladder[-1]


def throughput_based(ladder, throughputs):
    """Chooses the highest rate within CAUTION times the last segments' harmonic mean throughput."""
    if not throughputs:
        return ladder[0]
    limit = CAUTION * statistics.harmonic_mean(throughputs[-MEASURED:])
    return max((rate for rate in ladder if rate <= limit), default=ladder[0])


KINDS = {"always the highest": always_highest, "adaptive": throughput_based}


class Player:
    """`ladder`: kbit/s, rising. Call next_rate() before a segment, and arrived() while it arrives."""

    def __init__(self, ladder, choose, now):
        self._ladder = ladder
        self._choose = choose
        self._begin = self._now = now
        self._rate = None  # kbit/s of the segment being fetched
        self._requested = now
        self._media = 0.0  # seconds received
        self._waits = False  # while the buffer is full
        self._plays = False
        self._stalled = None  # begin of the present stall
        self._throughputs = []  # kbit/s, of each segment
        self.rates = []  # kbit/s, of each segment
        self.played = 0.0  # seconds
        self.startup = None  # seconds
        self.stalls = []  # seconds of each stall that is over

    @property
    def buffered(self):
        return self._media - self.played

    def next_rate(self, now):
        """kbit/s of the segment to fetch now; None while the player waits."""
        self.advance(now)
        if self._waits and self.buffered < START:
            self._waits = False
        if self._rate or self._waits:
            return None
        self._rate = self._choose(self._ladder, self._throughputs)
        self._requested = now
        return self._rate

    def arrived(self, share, now):
        """Takes the share of the segment that has arrived so far; 1 completes it."""
        self.advance(now)
        self._media = SEGMENT * (len(self.rates) + share)
        if not self._plays and self.buffered >= START:
            self._play(now)
        if share == 1:
            self.rates.append(self._rate)
            self._throughputs.append(self._rate * SEGMENT / max(1e-3, now - self._requested))
            self._rate = None
            self._waits = self.buffered > FULL

    def advance(self, now):
        """Plays until `now`."""
        if self._plays:
            self.played += now - self._now
            if self.played >= self._media:
                self._stalled = now - (self.played - self._media)
                self.played = self._media
                self._plays = False
        self._now = now

    def end(self, now):
        """Ends the session, and with it a present stall."""
        self.advance(now)
        if self._stalled is not None:
            self.stalls.append(now - self._stalled)

    def _play(self, now):
        self._plays = True
        if self.startup is None:
            self.startup = now - self._begin
        if self._stalled is not None:
            self.stalls.append(now - self._stalled)
            self._stalled = None
