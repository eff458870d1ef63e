"""Figures from records of frames."""

import math

import pytest

from bench.policies import measure
from bench.policies.capacity import Capacity, Change
from bench.policies.measure import Following, Picture

INTERVAL = 1 / measure.FRAMES_PER_SECOND


def came(*numbers, delay=0.05, bits=1000):
    return [(number, 10 + number * INTERVAL, 10 + number * INTERVAL + delay, bits)
            for number in numbers]


def test_every_frame_of_the_source_counts_once():
    pictures = measure.source_pictures(came(3, 4, 5), begin=11, end=10 + 5.5 * INTERVAL)
    assert [picture.number for picture in pictures] == [3, 4, 5]
    assert measure.delays(pictures, 20) == pytest.approx([0.05] * 3)


def test_a_frame_that_never_arrived_is_late_until_the_next_that_did():
    pictures = measure.source_pictures(came(0, 3), begin=10, end=10 + 3.5 * INTERVAL)
    expected = [0.05, 2 * INTERVAL + 0.05, INTERVAL + 0.05, 0.05]
    assert measure.delays(pictures, 20) == pytest.approx(expected)
    assert [picture.came for picture in pictures] == [True, False, False, True]


def test_frames_missing_at_the_end_are_late_until_then():
    end = 10 + 3.5 * INTERVAL
    pictures = measure.source_pictures(came(0), 10, end)
    assert len(pictures) == 4
    assert measure.delays(pictures, end)[1:] == pytest.approx(
        [2.5 * INTERVAL, 1.5 * INTERVAL, 0.5 * INTERVAL])


def test_a_viewer_without_any_frame_misses_all_frames():
    pictures = measure.source_pictures([], begin=10, end=11)
    assert len(pictures) == measure.FRAMES_PER_SECOND
    assert not any(picture.came for picture in pictures)
    assert max(measure.delays(pictures, 11)) == pytest.approx(1)
    assert measure.rate(pictures) == 0
    assert measure.stalls(pictures, playout=0.2) == (1, 1)
    assert measure.on_screen(pictures, playout=0.2, every=1) == []


def test_a_late_first_frame_counts_from_the_beginning():
    late = [(9, 10 + 9 * INTERVAL, 10.5, 1000)]
    pictures = measure.source_pictures(late, begin=10, end=10 + 9.5 * INTERVAL)
    assert [picture.number for picture in pictures] == list(range(10))
    assert measure.delays(pictures, 20)[:2] == pytest.approx([0.5, 0.5 - INTERVAL])
    assert [shown for _, _, shown in measure.on_screen(pictures, 0.5, every=1)] == [9]


def test_excess_excludes_the_path_and_the_frames_own_time():
    pictures = measure.source_pictures(came(0, delay=0.1, bits=40_000), 10, end=10.01)
    assert measure.excess_delays(pictures, 20, 0.02, lambda at: 1e6) == pytest.approx([0.04])


def picture(number, delay, arrives=True):
    captured = number * INTERVAL
    return Picture(number, captured, captured + delay if arrives else math.inf, 1000, arrives)


def test_stalls_count_missing_frames_and_interruptions():
    pictures = [picture(0, 0.1), picture(1, 0.3), picture(2, 0.3), picture(3, 0.3),
                picture(4, 0.1), picture(5, 0.3)]
    assert measure.stalls(pictures, playout=0.2) == (4 / 6, 1)
    assert measure.stalls(pictures, playout=0.4) == (0, 0)


def test_a_frame_that_never_arrived_counts_as_stalled_even_if_the_next_is_early():
    pictures = measure.source_pictures(came(0, 4, 8), begin=10, end=10 + 8.5 * INTERVAL)
    assert measure.stalls(pictures, playout=0.2) == (6 / 9, 2)


def test_a_lower_frame_rate_is_no_interruption():
    pictures = measure.source_pictures(came(*range(0, 31, 3)), begin=10, end=10 + 30.5 * INTERVAL)
    assert measure.stalls(pictures, playout=0.2) == (20 / 31, 0)


def test_the_screen_keeps_the_last_frame_while_the_next_is_late():
    pictures = [picture(0, 0.1), picture(1, 0.1), picture(2, 0.2), picture(3, 0.2 - INTERVAL),
                picture(4, 0.2 - 2 * INTERVAL)]
    shown = [number for _, _, number in measure.on_screen(pictures, 0.15, every=1)]
    assert shown == [0, 1, 1, 1, 4]


def test_the_screen_is_empty_before_the_first_frame():
    moments = measure.on_screen([picture(0, 0.3), *map(lambda n: picture(n, 0.3), range(1, 9))],
                                0.15, every=1)
    assert moments[0][0] == 5
    assert moments[0][2] == 0


def test_a_frame_is_not_on_the_screen_before_its_time():
    moments = measure.on_screen([picture(n, 0.01) for n in range(9)], 0.15, every=2)
    assert [(number, shown) for number, _, shown in moments] == [(n, n) for n in range(0, 9, 2)]


def test_the_screen_keeps_the_older_frame_if_the_next_never_arrives():
    pictures = [picture(0, 0.01), picture(1, 0.01), picture(2, 0, arrives=False),
                picture(3, 0, arrives=False), picture(4, 0.01)]
    shown = [number for _, _, number in measure.on_screen(pictures, 0.15, every=1)]
    assert shown == [0, 1, 1, 1, 4]


def test_rate_counts_only_frames_that_arrived():
    pictures = measure.source_pictures(came(0, 2, bits=30_000), 10, end=10 + 2.5 * INTERVAL)
    assert measure.rate(pictures) == pytest.approx(600_000)


def test_the_oracle_knows_the_capacity():
    captures = [n * INTERVAL for n in range(60)]
    rise = Capacity([Change(0, 2e6), Change(1, 100e6)])
    low = measure.oracle(rise.payload(0), 6e6)
    assert 1.6e6 < low < 1.8e6
    assert measure.oracle_rate(captures, rise, 6e6) == pytest.approx((low + 6e6) / 2, rel=0.02)


def frames(sizes, first=0, round_trip=0.04, target=1000):
    return [{"event": "frame", "number": number, "captured": number * INTERVAL,
             "departed": number * INTERVAL + 0.005,
             "acked": number * INTERVAL + 0.005 + round_trip, "bits": bits, "target_bits": target}
            for number, bits in enumerate(sizes, first)]


CAPACITY = 1e6
LARGE, SMALL = 100_000, 29_000  # of 33,333 bits per frame interval, of which audio takes 4,000
NEVER = Following(math.inf, math.inf)
BACK = 0.04 + 2 * measure.SEGMENT / CAPACITY  # two segments and a round trip


def follow(session, fall=10 * INTERVAL - 0.001, until=9, skips=False):
    return measure.follow_down(session, fall, until, CAPACITY, round_trip=0.04, skips=skips)


def test_evidence_is_the_first_ack_that_a_fall_can_delay():
    fall = 10 * INTERVAL - 0.001
    trace = frames([LARGE] * 14, round_trip=0.055)
    # Frame 9 is acknowledged before the fall; 10 departs after it.
    found = measure.evidence(trace, fall, CAPACITY, 0.04)
    assert found == pytest.approx(10 * INTERVAL + 0.005 + BACK)
    trace[9]["acked"] = None
    assert measure.evidence(trace, fall, CAPACITY, 0.04) == pytest.approx(fall + BACK)
    assert measure.evidence([], fall, CAPACITY, 0.04) == math.inf


def test_following_counts_frames_after_the_evidence():
    # Evidence arrives 68 ms after the capture of frame 10: 11 and 12 could not be smaller.
    trace = frames([LARGE] * 14 + [SMALL] * 20, round_trip=0.055)
    assert follow(trace) == Following(2, pytest.approx(4 * INTERVAL + 0.001))
    assert follow(trace[:12] + frames([SMALL] * 20, first=12)).pictures == 0
    trace[10]["departed"] += 0.029  # evidence 3 ms before 13, too late for the encoder
    assert follow(trace).pictures == 1


def test_skipped_frames_count_at_the_source_rate():
    trace = (frames([LARGE] * 13) + frames([LARGE], 14) + frames([LARGE], 16)
             + frames([SMALL] * 20, 18))
    # Evidence is before 12; 17, which was skipped, is the first to fit with those behind it.
    assert follow(trace, skips=True) == Following(5, pytest.approx(7 * INTERVAL + 0.001))


def test_without_evidence_before_the_next_change_nothing_was_followed():
    trace = frames([LARGE] * 14 + [SMALL] * 20)
    fall = 10 * INTERVAL - 0.001
    assert follow(trace, until=fall + BACK + 0.2).pictures < math.inf
    assert follow(frames([LARGE] * 9 + [SMALL] * 20), until=fall + BACK) == NEVER
    assert follow(trace[:9]) == NEVER
    assert follow([]) == NEVER


def test_there_is_nothing_to_follow_if_frames_fitted_before():
    assert follow(frames([SMALL] * 30)) is None
    assert follow(frames([SMALL + 1000] * 30)) == NEVER  # with audio they do not fit


def test_one_small_frame_among_large_ones_does_not_count_as_following():
    assert follow(frames([LARGE] * 12 + [SMALL] + [LARGE] * 20)) == NEVER


def test_frames_that_were_encoded_but_not_sent_have_the_mean_size():
    span = range(3)
    assert measure.encoded_bits({0: 10, 2: 20}, {1, 2}, span) == 45
    assert measure.encoded_bits({0: 10, 2: 20}, (), span) == 30
    assert measure.encoded_bits({}, {1}, span) == math.inf
    assert measure.encoded_bits({}, (), span) == 0


def test_dropped_frames_were_encoded_and_skipped_ones_were_not():
    gap = frames([LARGE] * 12) + frames([SMALL] * 20, first=18)
    assert follow(gap, skips=True).seconds == pytest.approx(2 * INTERVAL + 0.001)
    # 14 to 17 could not be sent without 13; 16 and 17 are as large as 18.
    discarded = [*gap, {"event": "discard", "first": 12, "last": 13}]
    assert follow(discarded, skips=True).seconds == pytest.approx(6 * INTERVAL + 0.001)
    assert follow(frames([LARGE] * 12) + frames([LARGE] * 20, first=20)) == NEVER


def test_return_is_when_the_target_is_nearly_the_oracles_rate():
    trace = frames([SMALL] * 10, target=20_000) + frames([SMALL] * 10, 10, target=31_000)
    wanted = 1e6  # 90 % is 30,000 per frame
    assert measure.time_to_return(trace, 0.1, 9, wanted) == pytest.approx(10 * INTERVAL - 0.1)
    assert measure.time_to_return(trace, 0.1, 9, 2 * wanted) == math.inf


def test_there_is_no_return_if_the_target_was_high_before():
    trace = frames([SMALL] * 20, target=31_000)
    asked = [{"event": "decision", "at": at, "rate": rate}
             for at, rate in ((0, 1e6), (0.1, 0.5e6), (0.3, 1e6))]
    assert measure.time_to_return(trace + asked, 0.05, 9, 1e6) is None
    assert measure.time_to_return(trace + asked, 0.2, 9, 1e6) == pytest.approx(0)
    assert measure.time_to_return(trace + asked, 0.35, 9, 1e6) is None


def test_one_frame_with_a_high_target_is_no_return():
    trace = frames([SMALL] * 10, target=20_000)
    trace[4]["target_bits"] = 31_000
    trace += frames([SMALL] * 6, 10, target=31_000)
    assert measure.time_to_return(trace, 0, 9, 1e6) == pytest.approx(10 * INTERVAL)
    assert measure.time_to_return(trace[:-1], 0, 9, 1e6) == math.inf
    assert measure.time_to_return(trace, 0, 15.5 * INTERVAL, 1e6) == pytest.approx(10 * INTERVAL)
    assert measure.time_to_return(trace, 0, 14.5 * INTERVAL, 1e6) == math.inf


def test_jain():
    assert measure.jain([3, 3, 3]) == 1
    assert measure.jain([1, 0, 0, 0]) == 0.25
    assert measure.jain([0, 0]) == 1


def test_decibels():
    assert measure.decibels(0.9) == pytest.approx(10)
    assert measure.decibels(1) == pytest.approx(60)
