import math

from bench.papers.playout import play

DUE = [0.0, 0.1, 0.2, 0.3]


def when_there(arrived):
    return lambda index: arrived[index]


def test_frames_on_time_are_shown():
    arrived = [1.0, 1.1, 1.2, 1.3]
    found = play(arrived, DUE, when_there(arrived), patience=1)
    assert (found.began, found.shown, found.discards, found.underflows) == (1.0, 4, 0, 0)


def test_late_frames_are_discarded_and_several_in_a_row_are_one_underflow():
    arrived = [1.0, 1.2, 1.3, 1.3]
    found = play(arrived, DUE, when_there(arrived), patience=1)
    assert (found.shown, found.discards, found.underflows, found.stalled) == (2, 2, 1, 0)


def test_a_frame_later_than_patience_stops_the_player():
    arrived = [1.0, 1.1, 5.0, 5.05]
    found = play(arrived, DUE, when_there(arrived), patience=1)
    assert (found.shown, found.discards, found.underflows) == (4, 0, 1)
    assert abs(found.stalled - 3.8) < 1e-9


def test_frames_that_never_arrive_are_neither_shown_nor_discarded():
    arrived = [1.0, 1.1, math.inf, math.inf]
    found = play(arrived, DUE, when_there(arrived), patience=1)
    assert (found.shown, found.discards, found.underflows) == (2, 0, 1)


def test_nothing_at_all():
    arrived = [math.inf] * 4
    found = play(arrived, DUE, when_there(arrived), patience=1)
    assert (found.began, found.shown, found.underflows) == (math.inf, 0, 0)
