from bench.slow_readers.figures import moved_by, slow_viewers, times_of
from netlab.daemon import Metrics

PAGE = """
symcast_group_viewers{stream="live",group="0"} 450
symcast_group_viewers{stream="live",group="1"} 30
symcast_group_viewers{stream="live",group="2"} 20
symcast_group_rate_actual_bits_per_second{stream="live",group="0"} 2000000
symcast_group_rate_actual_bits_per_second{stream="live",group="1"} 400000
symcast_group_rate_actual_bits_per_second{stream="live",group="2"} 600000
"""


def test_viewers_of_groups_below_the_rate_are_slow():
    assert slow_viewers(Metrics(PAGE), 500_000) == 30
    assert slow_viewers(Metrics(PAGE), 700_000) == 50


def test_viewers_count_as_moved_once_they_stay():
    samples = [(0, 0), (1, 30), (2, 20), (3, 50), (4, 50)]
    assert times_of(samples, 25) == "3.0"
    assert times_of(samples, 51) == "no"
    assert moved_by(samples, 2.5) == 20
