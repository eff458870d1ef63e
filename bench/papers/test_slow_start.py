from bench.papers.experiments.slow_start import (FRAMES_PER_SECOND, PLAYOUT_BUFFER, PLAYOUT_SECONDS,
                                                 Reader, frame_ends, watched)

SECONDS = 20
ENDS = frame_ends(SECONDS)
SIZE = ENDS[-1]


def arrivals(rate, begin=0.0, until=SIZE):
    """[(time, bytes so far)] at a constant rate, ten times per second."""
    step = int(rate / 8 / 10)
    return [(begin + (i + 1) / 10, min(until, (i + 1) * step)) for i in range(-(-until // step))]


def test_the_video_has_its_rate():
    assert len(ENDS) == SECONDS * FRAMES_PER_SECOND
    assert abs(8 * SIZE / SECONDS - 5.24e6) < 100


def test_a_player_with_enough_data_sees_everything():
    playing = watched(arrivals(6e6), ENDS)
    assert (playing.shown, playing.discards, playing.underflows) == (len(ENDS), 0, 0)
    assert 0.8 < playing.began < 1.0  # 656 kB at 6 Mbit/s


def test_a_player_with_too_little_data_stops():
    playing = watched(arrivals(3e6), ENDS)
    assert playing.stalled > 5
    assert playing.shown + playing.discards == len(ENDS)


def test_frames_that_never_arrive_are_not_shown():
    playing = watched(arrivals(6e6, until=SIZE // 2), ENDS)
    assert playing.shown < len(ENDS) / 2 + FRAMES_PER_SECOND


def test_reads_its_buffer_then_as_fast_as_it_plays():
    reader = Reader(ENDS)
    assert reader(0.0, 0) == PLAYOUT_BUFFER
    assert reader(5.0, PLAYOUT_BUFFER - 1) == PLAYOUT_BUFFER
    assert reader(6.0, PLAYOUT_BUFFER) == PLAYOUT_BUFFER  # begins
    assert reader(7.0, PLAYOUT_BUFFER) == PLAYOUT_BUFFER + ENDS[FRAMES_PER_SECOND - 1]


def test_a_stopped_player_reads_no_further_ahead():
    reader = Reader(ENDS)
    reader(0.0, PLAYOUT_BUFFER)
    there = ENDS[59]  # two seconds of it, and no more for long
    stopped = reader(3 + PLAYOUT_SECONDS, there)
    assert stopped == ENDS[59] + PLAYOUT_BUFFER
    assert reader(13.0, there) == stopped
    assert reader(15.0, stopped) == stopped  # goes on
    assert reader(16.0, stopped) == ENDS[59 + FRAMES_PER_SECOND] + PLAYOUT_BUFFER


def test_reads_no_more_than_was_received():
    reader = Reader(ENDS)
    reader(0.0, PLAYOUT_BUFFER)
    assert reader(SECONDS, SIZE - 1) == SIZE
