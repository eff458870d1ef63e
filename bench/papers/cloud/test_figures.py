"""Figures of a session."""

import pytest

from bench.papers.cloud.figures import smoothness, throughput, watching


def test_throughput_includes_seconds_without_data():
    found = throughput([(10.2, 4000), (10.9, 4000), (13.5, 8000), (14.1, 9000)], 10, 4)
    assert found == {"kilobytes_per_second": 4, "deviation": 4, "megabytes": pytest.approx(0.016)}


def test_a_constant_window_is_smooth():
    assert smoothness([10, 10, 10]) == {"window": 10, "window_variation": 0, "window_change": 0}


def test_a_window_that_swings_is_not_smooth():
    found = smoothness([5, 15, 5, 15])
    assert found["window_variation"] == 0.5 and found["window_change"] == 1


def test_a_live_stream_stalls_without_a_new_frame_for_long():
    there = [True] * 10 + [False] * 5 + [True] * 5
    assert watching(there, 0.1, 0.35) == {"played": 0.75, "stalls": 1, "stalled": 0.5,
                                          "pictures": 0.75}


def test_a_lower_frame_rate_is_no_stall():
    found = watching([True, False, False] * 10, 0.1, 0.35)
    assert found["played"] == 1 and found["stalls"] == 0
    assert found["pictures"] == pytest.approx(1 / 3)
