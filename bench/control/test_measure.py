"""What is made of records of pictures."""

import math

import pytest

import measure
from capacity import Capacity, Change
from measure import Following, Picture

INTERVAL = 1 / measure.FRAMES_PER_SECOND


def came(*numbers, delay=0.05, bits=1000):
    return [(number, 10 + number * INTERVAL, 10 + number * INTERVAL + delay, bits)
            for number in numbers]


def test_every_picture_of_the_source_counts_once():
    pictures = measure.source_pictures(came(3, 4, 5), begin=11, end=10 + 5.5 * INTERVAL)
    assert [picture.number for picture in pictures] == [3, 4, 5]
    assert measure.delays(pictures, 20) == pytest.approx([0.05] * 3)


def test_a_picture_that_never_came_is_late_until_the_next_that_did():
    pictures = measure.source_pictures(came(0, 3), begin=10, end=10 + 3.5 * INTERVAL)
    expected = [0.05, 2 * INTERVAL + 0.05, INTERVAL + 0.05, 0.05]
    assert measure.delays(pictures, 20) == pytest.approx(expected)
    assert [picture.came for picture in pictures] == [True, False, False, True]


def test_what_is_still_missing_at_the_end_is_late_until_then():
    end = 10 + 3.5 * INTERVAL
    pictures = measure.source_pictures(came(0), 10, end)
    assert len(pictures) == 4
    assert measure.delays(pictures, end)[1:] == pytest.approx(
        [2.5 * INTERVAL, 1.5 * INTERVAL, 0.5 * INTERVAL])


def test_a_viewer_without_a_picture_misses_all_of_them():
    pictures = measure.source_pictures([], begin=10, end=11)
    assert len(pictures) == measure.FRAMES_PER_SECOND
    assert not any(picture.came for picture in pictures)
    assert max(measure.delays(pictures, 11)) == pytest.approx(1)
    assert measure.rate(pictures) == 0
    assert measure.stalls(pictures, playout=0.2) == (1, 1)
    assert measure.on_screen(pictures, playout=0.2, every=1) == []


def test_a_first_picture_that_comes_late_is_waited_for():
    late = [(9, 10 + 9 * INTERVAL, 10.5, 1000)]
    pictures = measure.source_pictures(late, begin=10, end=10 + 9.5 * INTERVAL)
    assert [picture.number for picture in pictures] == list(range(10))
    assert measure.delays(pictures, 20)[:2] == pytest.approx([0.5, 0.5 - INTERVAL])
    assert [shown for _, _, shown in measure.on_screen(pictures, 0.5, every=1)] == [9]


def test_excess_is_without_the_path_and_the_picture_itself():
    pictures = measure.source_pictures(came(0, delay=0.1, bits=40_000), 10, end=10.01)
    assert measure.excess_delays(pictures, 20, 0.02, lambda at: 1e6) == pytest.approx([0.04])


def picture(number, delay, arrives=True):
    captured = number * INTERVAL
    return Picture(number, captured, captured + delay if arrives else math.inf, 1000, arrives)


def test_stalls_count_pictures_and_interruptions():
    pictures = [picture(0, 0.1), picture(1, 0.3), picture(2, 0.3), picture(3, 0.3),
                picture(4, 0.1), picture(5, 0.3)]
    assert measure.stalls(pictures, playout=0.2) == (4 / 6, 1)
    assert measure.stalls(pictures, playout=0.4) == (0, 0)


def test_a_picture_that_never_came_was_not_there_however_soon_the_next_one_came():
    pictures = measure.source_pictures(came(0, 4, 8), begin=10, end=10 + 8.5 * INTERVAL)
    assert measure.stalls(pictures, playout=0.2) == (6 / 9, 2)


def test_a_lower_frame_rate_interrupts_nothing():
    pictures = measure.source_pictures(came(*range(0, 31, 3)), begin=10, end=10 + 30.5 * INTERVAL)
    assert measure.stalls(pictures, playout=0.2) == (20 / 31, 0)


def test_the_screen_repeats_the_last_picture_while_the_next_is_late():
    pictures = [picture(0, 0.1), picture(1, 0.1), picture(2, 0.2), picture(3, 0.2 - INTERVAL),
                picture(4, 0.2 - 2 * INTERVAL)]
    shown = [number for _, _, number in measure.on_screen(pictures, 0.15, every=1)]
    assert shown == [0, 1, 1, 1, 4]


def test_the_screen_is_empty_before_the_first_picture():
    moments = measure.on_screen([picture(0, 0.3), *map(lambda n: picture(n, 0.3), range(1, 9))],
                                0.15, every=1)
    assert moments[0][0] == 5
    assert moments[0][2] == 0


def test_a_picture_is_not_on_the_screen_before_its_own_time():
    moments = measure.on_screen([picture(n, 0.01) for n in range(9)], 0.15, every=2)
    assert [(number, shown) for number, _, shown in moments] == [(n, n) for n in range(0, 9, 2)]


def test_the_screen_keeps_the_older_picture_in_place_of_one_that_never_came():
    pictures = [picture(0, 0.01), picture(1, 0.01), picture(2, 0, arrives=False),
                picture(3, 0, arrives=False), picture(4, 0.01)]
    shown = [number for _, _, number in measure.on_screen(pictures, 0.15, every=1)]
    assert shown == [0, 1, 1, 1, 4]


def test_rate_is_of_what_came():
    pictures = measure.source_pictures(came(0, 2, bits=30_000), 10, end=10 + 2.5 * INTERVAL)
    assert measure.rate(pictures) == pytest.approx(600_000)


def test_the_oracle_knows_the_capacity():
    captures = [n * INTERVAL for n in range(60)]
    rise = Capacity([Change(0, 2e6), Change(1, 100e6)])
    low = measure.oracle(rise.payload(0), 6e6)
    assert 1.6e6 < low < 1.8e6
    assert measure.oracle_rate(captures, rise, 6e6) == pytest.approx((low + 6e6) / 2, rel=0.02)


def frames(sizes, begin=0.0, round_trip=0.04, target=1000):
    return [{"event": "frame", "captured": begin + i * INTERVAL,
             "departed": begin + i * INTERVAL + 0.005, "head_acked": None,
             "acked": begin + i * INTERVAL + 0.005 + round_trip, "bits": bits,
             "target_bits": target} for i, bits in enumerate(sizes)]


CAPACITY = 1e6
LARGE, SMALL = 100_000, 30_000  # of 33,333 that fit between two pictures


def test_following_counts_pictures_after_the_first_evidence():
    # The fall is just before picture 10, whose ACK comes 61 ms after it: 10 and 11 could not know.
    at = 10 * INTERVAL
    trace = frames([LARGE] * 14 + [SMALL] * 20, round_trip=0.055)
    found = measure.follow_down(trace, at - 0.001, 9, CAPACITY, round_trip=0.04)
    assert found == Following(3, pytest.approx(4 * INTERVAL + 0.001))


def congestion(kind, at):
    return {"event": "congestion", "kind": kind, "at": at, "seen": at}


def test_the_first_evidence_is_whatever_comes_first_of_data_that_passed_after_the_fall():
    trace = frames([LARGE] * 14, round_trip=0.2)
    assert measure.evidence(trace, 0.21, 9) == pytest.approx(INTERVAL + 0.205)
    trace[3]["head_acked"] = 0.23
    assert measure.evidence(trace, 0.21, 9) == 0.23
    trace += [congestion("dupack", 0.2), congestion("tlp", 0.215), congestion("dupack", 0.22)]
    assert measure.evidence(trace, 0.21, 9) == 0.22
    trace.append(congestion("rexmt", 0.211))
    assert measure.evidence(trace, 0.21, 9) == 0.211


def test_a_head_that_is_acknowledged_is_evidence_as_a_picture_is():
    at = 10 * INTERVAL
    trace = frames([LARGE] * 14 + [SMALL] * 20, round_trip=0.2)
    assert measure.follow_down(trace, at - 0.001, 9, CAPACITY, 0.04).pictures == 2
    trace[6]["head_acked"] = 0.39  # before picture 12 is captured
    assert measure.follow_down(trace, at - 0.001, 9, CAPACITY, 0.04).pictures == 3


def test_without_evidence_nothing_was_followed():
    trace = [{**frame, "acked": None} for frame in frames([LARGE] * 14 + [SMALL] * 20)]
    never = Following(math.inf, math.inf)
    assert measure.follow_down(trace, 10 * INTERVAL, 9, CAPACITY, 0.04) == never
    late = [*trace, congestion("rexmt", 9.1)]
    assert measure.follow_down(late, 10 * INTERVAL, 9, CAPACITY, 0.04) == never


def test_nothing_is_to_follow_where_the_pictures_fitted_before():
    assert measure.follow_down(frames([SMALL] * 30), 0.3, 9, CAPACITY, 0.04) is None


def test_one_small_picture_among_large_ones_has_not_followed():
    trace = frames([LARGE] * 12 + [SMALL] + [LARGE] * 20)
    assert measure.follow_down(trace, 0.3, 1.0, CAPACITY, 0.04) == Following(math.inf, math.inf)


def test_pictures_that_were_dropped_have_been_encoded():
    trace = frames([LARGE] * 12) + frames([LARGE] * 20, begin=30 * INTERVAL)
    assert measure.follow_down(trace, 0.3, 2.0, CAPACITY, 0.04).pictures < math.inf
    dropped = measure.follow_down(trace, 0.3, 2.0, CAPACITY, 0.04, dropped=True)
    assert dropped == Following(math.inf, math.inf)


def test_return_is_when_the_encoder_is_asked_for_nearly_all():
    trace = frames([SMALL] * 10, target=20_000) + frames([SMALL] * 10, 10 * INTERVAL, target=31_000)
    wanted = 1e6  # 90 %: 30,000 for each picture
    assert measure.time_to_return(trace, 0.1, 9, wanted) == pytest.approx(10 * INTERVAL - 0.1)
    assert measure.time_to_return(trace, 0.1, 9, 2 * wanted) == math.inf


def test_one_picture_that_is_asked_for_more_is_no_return():
    trace = frames([SMALL] * 10, target=20_000)
    trace[4]["target_bits"] = 31_000
    trace += frames([SMALL] * 6, 10 * INTERVAL, target=31_000)
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
