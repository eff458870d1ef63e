#!/usr/bin/python3
"""Paper 004's measures (Watanabe et al. 2013, section VI) for its slow starts: a stored video of
5.24 Mbit/s and 30 frames/s is sent as fast as TCP goes, over a link of its own for each congestion
control that loses packets at random.

The player begins when 656 kB are there. A picture that is late at its time, by up to what those play
for, is discarded; when the first comes late, its buffer has run empty: an underflow. A picture that
is later still stops the player until 656 kB are there again. CCP measures the capacity by itself;
the video's rate is a hint for CCPVS and CCPLSS. Needs root: it makes network namespaces and loads
eBPF programs."""

import argparse
import bisect
import itertools
import pathlib
import statistics
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER / "steered"), str(FOLDER.parent / "tests" / "netlab")]

from netlab import Netlab, why_unavailable  # noqa: E402
from steered import Flows  # noqa: E402

ROUND_TRIPS = [3, 100, 200]  # ms
CONTENDERS = ["sym_ccp", "sym_ccpsss", "sym_ccpvs", "sym_ccplss", "sym_ccpd", "reno", "cubic"]
VIDEO_RATE = 5.24e6
FRAMES_PER_SECOND = 30
PLAYOUT_BUFFER = 656_000  # bytes
PLAYOUT_SECONDS = 8 * PLAYOUT_BUFFER / VIDEO_RATE
KEYFRAME_WEIGHT = 5  # of one in 30, against the others
TOLERANCE = 0.02  # seconds: VLC's VOUT_DISPLAY_LATE_THRESHOLD


def frame_ends(seconds):
    """Where each frame of the video ends, in bytes."""
    weights = [KEYFRAME_WEIGHT if i % FRAMES_PER_SECOND == 0 else 1
               for i in range(seconds * FRAMES_PER_SECOND)]
    unit = VIDEO_RATE / 8 / (FRAMES_PER_SECOND - 1 + KEYFRAME_WEIGHT)
    return [int(unit * sum_) for sum_ in itertools.accumulate(weights)]


class Player:
    """Plays what arrived; counts discards and underflows."""

    def __init__(self, arrivals, ends):
        self._times = [at for at, _ in arrivals]
        self._totals = [total for _, total in arrivals]
        self._ends = ends
        self.discards = 0
        self.underflows = 0
        self._play()

    def _time_of(self, byte):
        index = bisect.bisect_left(self._totals, min(byte, self._ends[-1]))
        return self._times[index] if index < len(self._times) else float("inf")

    def _play(self):
        first, began = 0, self._time_of(PLAYOUT_BUFFER)
        was_late = False
        for frame, end in enumerate(self._ends):
            late = self._time_of(end) - (began + (frame - first) / FRAMES_PER_SECOND)
            is_late = late > TOLERANCE
            if is_late and not was_late:
                self.underflows += 1
            if late > PLAYOUT_SECONDS:
                first, began = frame, self._time_of(end + PLAYOUT_BUFFER)
                is_late = False
            elif is_late:
                self.discards += 1
            was_late = is_late


def run(round_trip, seed, options):
    """[discards, underflows, retransmissions] of each contender."""
    ends = frame_ends(options.seconds)
    with Netlab(clients=len(CONTENDERS), seed=seed, rate=f"{options.rate}M",
                delay_ms=round_trip / 2, queue_bytes=int(options.queue * 1e3),
                loss=options.loss / 100) as lab:
        flows = Flows(lab)
        started = [flows.start(name, client, congestion_control=name, bytes=ends[-1],
                               video_rate=int(VIDEO_RATE) if name.startswith("sym_") else 0)
                   for client, name in enumerate(CONTENDERS)]
        flows.receive(10 * options.seconds,
                      lambda: all(flow.received() == ends[-1] for flow in started))
        players = [Player(flow.arrivals, ends) for flow in started]
        return [[player.discards, player.underflows, flow.retransmits()]
                for player, flow in zip(players, started)]


def cell(values):
    return f"{statistics.mean(values):.0f} ± {statistics.pstdev(values):.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=15, help="of the link, Mbit/s")
    parser.add_argument("--queue", type=float, default=96, help="kB; 96: 64 packets")
    parser.add_argument("--loss", type=float, default=0.2, help="%% of packets")
    parser.add_argument("--seconds", type=int, default=30, help="of video")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    reason = why_unavailable()
    if reason:
        sys.exit(f"ccp: {reason}")

    print(f"link {options.rate:g} Mbit/s, queue {options.queue:g} kB, loss {options.loss:g} %; "
          f"{options.seconds} s of video; mean ± standard deviation of {options.repeats} runs")
    for round_trip in ROUND_TRIPS:
        runs = [run(round_trip, 1000 * seed, options) for seed in range(1, options.repeats + 1)]
        print(f"\n{f'{round_trip} ms':<14}{'discarded pictures':>20}{'underflows':>16}"
              f"{'retransmissions':>18}")
        for name, results in zip(CONTENDERS, zip(*runs)):
            discards, underflows, retransmits = (cell(values) for values in zip(*results))
            print(f"{name:<14}{discards:>20}{underflows:>16}{retransmits:>18}", flush=True)


main()
