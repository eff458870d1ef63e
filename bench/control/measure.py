"""What one viewer had, from records of pictures: delays, stalls, what was on the screen, and how
its encoder followed the path's capacity. Pure; times are seconds, sizes bits, rates bit/s."""

import bisect
import itertools
import math
import statistics
from dataclasses import dataclass

from capacity import on_the_wire, oracle

FRAMES_PER_SECOND = 30  # of the test source
SEGMENT = 1448 * 8  # bits of TCP's payload
FOLLOWED = (3, 6)  # pictures, at the source's pace, over which another rate is to be seen
FROZEN = 0.1  # seconds from one picture to the next: shorter is a lower frame rate to the eye
RETURNED = 0.9  # share of the oracle's rate


@dataclass(frozen=True)
class Picture:
    """One of the source's. `arrived`: its last byte, or the next picture's that came when it did
    not itself; infinite: none came any more. `bits`: of the one that came."""
    number: int
    captured: float
    arrived: float
    bits: int
    came: bool


def source_pictures(came, begin, end):
    """All pictures of the source from the first that came until `end`; from `begin` when that was
    later. `came`: [(number, captured, arrived, bits)] in order of numbers. A picture that never
    came is late until the next one that did: that is how long its viewer looks at an older one, or
    at none."""
    number, captured, arrived, bits = came[0] if came else (0, end, math.inf, 0)
    unseen = math.floor((captured - begin) * FRAMES_PER_SECOND)
    pictures = [Picture(number - ahead, captured - ahead / FRAMES_PER_SECOND, arrived, bits, False)
                for ahead in range(unseen, 0, -1)]
    if not came:
        return pictures
    for number, captured, arrived, bits in came:
        pictures += _missing(pictures, number, arrived, bits)
        pictures.append(Picture(number, captured, arrived, bits, True))
    after = pictures[-1].number + 1 + math.ceil((end - pictures[-1].captured) * FRAMES_PER_SECOND)
    pictures += _missing(pictures, after, math.inf, pictures[-1].bits)
    return [picture for picture in pictures if picture.captured < end]


def _missing(pictures, until, arrived, bits):
    if not pictures:
        return []
    last = pictures[-1]
    return [Picture(number, last.captured + (number - last.number) / FRAMES_PER_SECOND, arrived,
                    bits, False)
            for number in range(last.number + 1, until)]


def delays(pictures, end):
    """Capture to arrival; of what had not arrived at `end`, the last moment anybody looked: the
    time until then."""
    return [min(picture.arrived, end) - picture.captured for picture in pictures]


def excess_delays(pictures, end, one_way, payload):
    """The same less the one-way delay and the picture's own time on the link. `payload`: function
    of time, what the link carries."""
    return [min(picture.arrived, end) - picture.captured - one_way
            - picture.bits / payload(picture.captured) for picture in pictures]


def stalls(pictures, playout):
    """(share of pictures that were not there `playout` after their capture, interruptions). One
    that never came was not there. An interruption: no new picture came up for longer than FROZEN;
    a lower frame rate, down to a third, is none."""
    there = [picture.came and picture.arrived <= picture.captured + playout for picture in pictures]
    missing = [len(list(run)) for is_there, run in itertools.groupby(there) if not is_there]
    frozen = sum((count + 1) / FRAMES_PER_SECOND > FROZEN for count in missing)
    return sum(missing) / len(pictures), frozen


def on_screen(pictures, playout, every):
    """[(number, captured, number shown)]: what a player that far behind the capture had on its
    screen in place of each `every`-th picture: the newest that had arrived and was due."""
    came = [picture for picture in pictures if picture.came]
    arrivals = [picture.arrived for picture in came]  # in order: it is one connection
    numbers = [picture.number for picture in came]
    moments = []
    for picture in pictures[::every]:
        newest = min(bisect.bisect_right(arrivals, picture.captured + playout),
                     bisect.bisect_right(numbers, picture.number)) - 1
        if newest >= 0:
            moments.append((picture.number, picture.captured, numbers[newest]))
    return moments


def rate(pictures):
    """Of the pictures that came."""
    return (sum(picture.bits for picture in pictures if picture.came)
            * FRAMES_PER_SECOND / len(pictures))


def oracle_rate(captures, capacity, ceiling):
    """Mean of the oracle's over these times, on the capacity's clock."""
    return sum(oracle(capacity.payload(at), ceiling) for at in captures) / len(captures)


def fair_payload(captures, capacity, ceiling):
    """Mean of what is one viewer's of the link, but no more than its video can fill."""
    return sum(min(capacity.payload(at), on_the_wire(ceiling)) for at in captures) / len(captures)


@dataclass(frozen=True)
class Following:
    pictures: float  # captured after the first evidence until one fitted, itself included
    seconds: float  # from the fall to that one


def evidence(session, begin, end):
    """The first moment of these when the server could know what the path then carried: something
    was acknowledged, a picture or its head, or there was a REXMT or DUPACK; infinite: none.
    `session`: lines of the server's trace."""
    times = [line[key] for line in session if line["event"] == "frame"
             for key in ("head_acked", "acked")]
    times += [line["at"] for line in session
              if line["event"] == "congestion" and line["kind"] in ("rexmt", "dupack")]
    return min((at for at in times if at is not None and begin <= at < end), default=math.inf)


def follow_down(session, fall, until, payload, round_trip, dropped=False):
    """How the encoder followed a fall of the capacity to `payload`: it has when its pictures of the
    next 100 ms and of the next 200 ms fit. None: there was nothing to follow, for they did before.
    Nothing tells of the fall before a segment has passed at the new rate and its acknowledgement
    come back; where nothing ever does, nothing was followed.
    `session`: lines of the server's trace; `until`: the next change; `round_trip`: of an empty
    path; `dropped`: pictures missing there were encoded, as large as the others, and not sent."""
    frames = [line for line in session if line["event"] == "frame"]

    def fits(at):
        # Half an interval less, so that rounding does not decide which picture is the last.
        for count in FOLLOWED:
            sizes = [frame["bits"] for frame in frames
                     if at <= frame["captured"] < at + (count - 0.5) / FRAMES_PER_SECOND]
            encoded = count * statistics.mean(sizes or [math.inf]) if dropped else sum(sizes)
            if encoded > payload * count / FRAMES_PER_SECOND:
                return False
        return True

    if fits(fall - FOLLOWED[-1] / FRAMES_PER_SECOND):
        return None
    seen = evidence(session, fall + round_trip + SEGMENT / payload, until)
    after = 0
    for frame in frames:
        if not fall <= frame["captured"] < until:
            continue
        after += frame["captured"] > seen
        if seen < math.inf and fits(frame["captured"]):
            return Following(after, frame["captured"] - fall)
    return Following(math.inf, math.inf)


def time_to_return(frames, rise, until, wanted):
    """Seconds from a rise of the capacity until the encoder is asked for 90 % of `wanted`, and
    stays so for as many pictures as a fall is judged by; infinite: not before the next change, at
    `until`."""
    asked = [(frame["captured"], frame["target_bits"] * FRAMES_PER_SECOND >= RETURNED * wanted)
             for frame in frames if rise <= frame["captured"] < until]
    for i in range(len(asked) - FOLLOWED[-1] + 1):
        if all(enough for _, enough in asked[i:i + FOLLOWED[-1]]):
            return asked[i][0] - rise
    return math.inf


def jain(rates):
    """Jain, Chiu and Hawe 1984: 1 when all have the same, 1/n when one has all."""
    if not any(rates):
        return 1.0
    return sum(rates) ** 2 / (len(rates) * sum(value * value for value in rates))


def decibels(ssim):
    """As Yan et al. (Puffer, 2020) count it."""
    return -10 * math.log10(max(1 - ssim, 1e-6))
