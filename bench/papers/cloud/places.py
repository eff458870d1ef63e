"""The paths: in the paper's private cloud, and from Amazon's regions to a home in San José."""

from dataclasses import dataclass

from bench.papers.inside.paths import Path

LADDER = (350, 470, 630, 845, 1130, 1520, 2040, 2750)  # kbit/s: the paper's table 1
ADSL = 1.5e6  # bit/s of cells
ADSL_QUEUE = 40  # packets: 450 ms


@dataclass(frozen=True)
class Place:
    """`highest`: the highest kbit/s offered. `contested`: another user downloads now and then."""

    path: Path
    highest: int = LADDER[-1]
    contested: bool = False

    @property
    def ladder(self):
        return [rate for rate in LADDER if rate <= self.highest]


def _lan(loss=0.0):
    return Place(Path(rtt_ms=1, rate=100e6, queue=250, loss=loss))


def _region(rtt_ms, loss=0.0, contested=False):
    path = Path(rtt_ms=rtt_ms, rate=ADSL, queue=ADSL_QUEUE, loss=loss, adsl=True)
    return Place(path, highest=1130, contested=contested)


PRIVATE, LOSSY, CONGESTED = "private", "private, 5 % loss", "EUWest"
PLACES = {
    PRIVATE: _lan(),
    LOSSY: _lan(loss=0.05),
    "USWest": _region(20),
    "USEast": _region(80),
    "Japan": _region(120),
    # The paper found it congested: 63 to 83 KB/s, of the 187 of its last mile. Loss and the other
    # user's downloads are chosen so that cubic's throughput is in that range.
    CONGESTED: _region(150, loss=0.012, contested=True),
}
CALM = ("USWest", "USEast", "Japan")
OTHERS = {"somebody else": "cubic"}  # the other user's service: its congestion control
DOWNLOAD, PAUSE = 400e3, 6.0  # means of exponential distributions: bytes, seconds
