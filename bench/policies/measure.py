"""What one viewer had, from records of pictures: delays, stalls, what was on the screen, and how
its encoder followed the path's capacity. Pure; times are seconds, sizes bits, rates bit/s."""

import bisect
import itertools
import math
import statistics
from dataclasses import dataclass

from bench.policies.capacity import SOUND, on_the_wire, oracle

FRAMES_PER_SECOND = 30  # of the test source
SEGMENT = 1448 * 8  # bits of TCP's payload
REACTION = 0.005  # seconds from an event in the kernel to the encoder: the design's bound
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
    # Of the source, captured REACTION after the first evidence or later, until one fitted, with it.
    pictures: float
    seconds: float  # from the fall to that one


NEVER = Following(math.inf, math.inf)


def evidence(frames, fall, payload, round_trip):
    """When an acknowledgement could show a fall of the capacity to `payload`, at the earliest: two
    segments, which a receiver acknowledges (RFC 5681, 4.2), have passed at the new rate, and that
    has come back; infinite: nothing was under way."""
    back = round_trip + 2 * SEGMENT / payload
    return min((max(fall, frame["departed"]) + back for frame in frames
                if frame["acked"] is None or frame["acked"] >= fall + round_trip),
               default=math.inf)


def discarded(session):
    """Numbers of pictures, up to the one that was sent next: those before it that have been skipped
    are not told from those that could not be sent without it."""
    sent = sorted(line["number"] for line in session if line["event"] == "frame")
    found = set()
    for line in session:
        if line["event"] == "discard":
            next_sent = bisect.bisect_right(sent, line["last"])
            end = sent[next_sent] if next_sent < len(sent) else line["last"] + 1
            found.update(range(line["first"], end))
    return found


def encoded_bits(sizes, dropped, span):
    """Of the pictures of these numbers. `sizes`: {number: bits} of those that were sent; those
    `dropped` were as large as they, on average; the others have never been encoded."""
    sent = [sizes[number] for number in span if number in sizes]
    lost = sum(number in dropped and number not in sizes for number in span)
    if not sent:
        return math.inf if lost else 0
    return (len(sent) + lost) * statistics.mean(sent)


def fitting(sizes, dropped, payload):
    """Tells of a picture's number whether what was encoded of it and those behind it, in 100 ms and
    in 200 ms, passes beside the sound."""
    def fits(number):
        return all(encoded_bits(sizes, dropped, range(number, number + count))
                   <= (payload - SOUND) * count / FRAMES_PER_SECOND for count in FOLLOWED)

    return fits


def follow_down(session, fall, until, payload, round_trip, skips):
    """How the encoder followed a fall of the capacity to `payload`: it has when its pictures fit.
    None: there was nothing to follow, for they did before. Where nothing tells of the fall, nothing
    was followed. `session`: lines of the server's trace; `until`: the next change; `round_trip`: of
    an empty path; `skips`: the policy leaves pictures out, but for those discarded; else what is
    missing was encoded, and dropped."""
    frames = [line for line in session if line["event"] == "frame"]
    if not frames:
        return NEVER
    anchor = next((frame for frame in reversed(frames) if frame["captured"] < fall), frames[0])
    sizes = {frame["number"]: frame["bits"] for frame in frames}
    end = max(sizes) + 1
    fits = fitting(sizes, discarded(session) if skips else range(min(sizes), end), payload)

    def first_from(time):
        return anchor["number"] + math.ceil((time - anchor["captured"]) * FRAMES_PER_SECOND)

    first, seen = first_from(fall), evidence(frames, fall, payload, round_trip)
    if fits(first - FOLLOWED[-1]):
        return None
    tried = range(first, min(first_from(until), end - FOLLOWED[-1] + 1)) if seen < until else ()
    number = next(filter(fits, tried), None)
    if number is None:
        return NEVER
    captured = anchor["captured"] + (number - anchor["number"]) / FRAMES_PER_SECOND
    after = math.floor((captured - seen - REACTION) * FRAMES_PER_SECOND) + 1
    return Following(max(0, after), captured - fall)


def time_to_return(session, rise, until, wanted):
    """Seconds from a rise of the capacity until the encoder is asked for 90 % of `wanted`, and
    stays so for as many pictures as a fall is judged by; infinite: not before the next change, at
    `until`. None: there was nothing to return from, for it was asked for so much before."""
    before = [line["rate"] for line in session
              if line["event"] == "decision" and line["at"] < rise]
    if before and before[-1] >= RETURNED * wanted:
        return None
    asked = [(line["captured"], line["target_bits"] * FRAMES_PER_SECOND >= RETURNED * wanted)
             for line in session
             if line["event"] == "frame" and rise <= line["captured"] < until]
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
