"""Evaluates the records of one viewer's frames: delays, stalls, the frames on the screen, and how its
encoder followed the path's capacity. No I/O, no clock; times are seconds, sizes bits, rates bit/s."""

import bisect
import itertools
import math
import statistics
from dataclasses import dataclass

from bench.policies.capacity import SOUND, on_the_wire, oracle

FRAMES_PER_SECOND = 30  # of the test source
SEGMENT = 1448 * 8  # bits of TCP payload
REACTION = 0.005  # seconds from an event in the kernel to the encoder, the design's limit
FOLLOWED = (3, 6)  # frames of the source over which a new rate has to show
FROZEN = 0.1  # seconds between frames; the eye takes less for a lower frame rate
RETURNED = 0.9  # share of the oracle's rate


@dataclass(frozen=True)
class Picture:
    """A frame of the source. `arrived` is when its last byte arrived. For a frame that never arrived,
    `arrived` and `bits` are those of the next one that did; infinite if none followed."""
    number: int
    captured: float
    arrived: float
    bits: int
    came: bool


def source_pictures(came, begin, end):
    """All frames of the source until `end`, from the first that arrived, or from `begin` if that is
    earlier. `came`: [(number, captured, arrived, bits)] in order of numbers. A frame that never
    arrived counts as late until the next one that did, as its viewer sees an older frame or none
    until then."""
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
    """Capture to arrival. Frames that had not arrived at `end`, the end of the record, count with
    the time until then."""
    return [min(picture.arrived, end) - picture.captured for picture in pictures]


def excess_delays(pictures, end, one_way, payload):
    """Delays minus the one-way delay and the frame's own time on the link. `payload` maps a time to
    the rate of the link."""
    return [min(picture.arrived, end) - picture.captured - one_way
            - picture.bits / payload(picture.captured) for picture in pictures]


def stalls(pictures, playout):
    """(share of frames that had not arrived `playout` after their capture, number of interruptions).
    In an interruption there is no new frame for longer than FROZEN; a lower frame rate, down to a
    third, is not an interruption."""
    there = [picture.came and picture.arrived <= picture.captured + playout for picture in pictures]
    missing = [len(list(run)) for is_there, run in itertools.groupby(there) if not is_there]
    frozen = sum((count + 1) / FRAMES_PER_SECOND > FROZEN for count in missing)
    return sum(missing) / len(pictures), frozen


def on_screen(pictures, playout, every):
    """[(number, captured, number shown)] of each `every`-th frame: a player that is `playout` behind
    the capture shows the newest frame that has arrived and is due."""
    came = [picture for picture in pictures if picture.came]
    arrivals = [picture.arrived for picture in came]  # in order, on one connection
    numbers = [picture.number for picture in came]
    moments = []
    for picture in pictures[::every]:
        newest = min(bisect.bisect_right(arrivals, picture.captured + playout),
                     bisect.bisect_right(numbers, picture.number)) - 1
        if newest >= 0:
            moments.append((picture.number, picture.captured, numbers[newest]))
    return moments


def rate(pictures):
    """Rate of the frames that arrived."""
    return (sum(picture.bits for picture in pictures if picture.came)
            * FRAMES_PER_SECOND / len(pictures))


def oracle_rate(captures, capacity, ceiling):
    """Mean of the oracle's rate over these times, on the capacity's clock."""
    return sum(oracle(capacity.payload(at), ceiling) for at in captures) / len(captures)


def fair_payload(captures, capacity, ceiling):
    """Mean of one viewer's share of the link, but no more than its video can fill."""
    return sum(min(capacity.payload(at), on_the_wire(ceiling)) for at in captures) / len(captures)


@dataclass(frozen=True)
class Following:
    # Frames of the source from REACTION after the first evidence up to the first that fitted.
    pictures: float
    seconds: float  # from the fall to the first frame that fitted


NEVER = Following(math.inf, math.inf)


def evidence(frames, fall, payload, round_trip):
    """The earliest time at which an ACK could show a fall of the capacity to `payload`: two segments,
    which a receiver acknowledges (RFC 5681, 4.2), have passed at the new rate, and the ACK has come
    back. Infinite if nothing was in flight."""
    back = round_trip + 2 * SEGMENT / payload
    return min((max(fall, frame["departed"]) + back for frame in frames
                if frame["acked"] is None or frame["acked"] >= fall + round_trip),
               default=math.inf)


def discarded(session):
    """Numbers of frames from each discard to the next frame sent. Frames in between that were skipped
    cannot be distinguished from frames that depended on the discarded ones."""
    sent = sorted(line["number"] for line in session if line["event"] == "frame")
    found = set()
    for line in session:
        if line["event"] == "discard":
            next_sent = bisect.bisect_right(sent, line["last"])
            end = sent[next_sent] if next_sent < len(sent) else line["last"] + 1
            found.update(range(line["first"], end))
    return found


def encoded_bits(sizes, dropped, span):
    """Bits encoded for the frames numbered in `span`. `sizes`: {number: bits} of frames that were sent.
    Frames in `dropped` count with the mean size of those; all others were never encoded."""
    sent = [sizes[number] for number in span if number in sizes]
    lost = sum(number in dropped and number not in sizes for number in span)
    if not sent:
        return math.inf if lost else 0
    return (len(sent) + lost) * statistics.mean(sent)


def fitting(sizes, dropped, payload):
    """A function of a frame number: whether the frames encoded in 100 ms and in 200 ms from that one on
    fit into `payload` together with audio."""
    def fits(number):
        return all(encoded_bits(sizes, dropped, range(number, number + count))
                   <= (payload - SOUND) * count / FRAMES_PER_SECOND for count in FOLLOWED)

    return fits


def follow_down(session, fall, until, payload, round_trip, skips):
    """How the encoder followed a fall of the capacity to `payload`, which it has when its frames fit.
    None if they fitted before the fall; NEVER if nothing showed the fall before the next change.
    `session`: lines of the server's trace; `until`: time of the next change; `round_trip`: of an empty
    path; `skips`: whether missing frames were skipped, except for discarded ones; otherwise they were
    encoded and dropped."""
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
    """Seconds from a rise of the capacity until the encoder's target is 90 % of `wanted`, and stays
    there for as many frames as a fall is judged by. Infinite if that does not happen before the next
    change, at `until`. None if the target was that high before the rise."""
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
    """Jain, Chiu and Hawe 1984: 1 if all have the same rate, 1/n if one has all."""
    if not any(rates):
        return 1.0
    return sum(rates) ** 2 / (len(rates) * sum(value * value for value in rates))


def decibels(ssim):
    """SSIM in dB, as defined by Yan et al. (Puffer, 2020)."""
    return -10 * math.log10(max(1 - ssim, 1e-6))
