"""How the records of an audience are evaluated."""

import math

import pytest

from bench import audience
from bench.audience import Sample
from netlab.daemon import Metrics

INTERVAL = 1 / 30
BEGIN = 100  # first second that counts
END = 102
LOOKED = 103  # when the run ended
BYTES = 5000


def session(first=0, last=150, changes=()):
    """Trace lines: frames captured from a second before BEGIN on, and moves to another group."""
    frames = [{"event": "frame", "number": number, "pts": number * INTERVAL,
               "captured": BEGIN - 1 + number * INTERVAL} for number in range(first, last)]
    return frames + [{"event": "group", "at": at} for at in changes]


def arrived(session, delay=0.05, without=()):
    """Those frames of a session that arrived; the muxer's clock is 1.4 s ahead."""
    return [{"pts": line["pts"] + 1.4, "arrival_ns": round((line["captured"] + delay) * 1e9),
             "bytes": BYTES}
            for line in session if line["event"] == "frame" and line["number"] not in without]


def test_a_viewer_that_receives_everything_has_the_paths_delay():
    trace = session(changes=(BEGIN - 0.5, BEGIN + 0.5, BEGIN + 1, END + 0.5))
    figures, delays = audience.of_viewer(trace, arrived(trace), BEGIN, END, LOOKED)
    assert delays == pytest.approx([0.05] * 60)
    assert figures["p95"] == pytest.approx(50)
    assert figures["late"] == 0
    assert figures["changes"] == 2
    assert figures["ln_rate"] == pytest.approx(math.log(30 * 8 * BYTES))


def test_a_missing_frame_is_late_until_the_next():
    trace = session()
    missing = range(60, 72)  # 8 of these wait for longer than 0.2 s
    figures, delays = audience.of_viewer(trace, arrived(trace, without=missing), BEGIN, END,
                                          LOOKED)
    assert len(delays) == 60
    assert max(delays) == pytest.approx(0.05 + 12 * INTERVAL)
    assert figures["late"] == pytest.approx(8 / 60)


def test_a_viewer_whose_first_frame_is_late_has_waited_from_the_beginning():
    trace = session(first=60)  # nothing in the first of the two seconds
    figures, delays = audience.of_viewer(trace, arrived(trace), BEGIN, END, LOOKED)
    assert len(delays) == 60
    assert max(delays) == pytest.approx(1.05)
    assert figures["ln_rate"] < math.log(1e6)


def test_frames_missing_at_the_end_of_the_run_are_late_until_then():
    trace = session()
    _, delays = audience.of_viewer(trace, arrived(trace, without=range(60, 150)), BEGIN, END,
                                     LOOKED)
    assert max(delays) == pytest.approx(LOOKED - (BEGIN + 1))


def test_a_viewer_that_receives_nothing_is_counted():
    figures, delays = audience.of_viewer(session(), [], BEGIN, END, LOOKED)
    assert len(delays) == pytest.approx(60, abs=1)
    assert figures["late"] == 1
    assert figures["ln_rate"] == pytest.approx(math.log(1e3))


def test_missing_frames_are_lost_and_do_not_count_as_rate():
    trace = session()
    figures, _ = audience.of_viewer(trace, arrived(trace, without=range(60, 75)), BEGIN, END, LOOKED)
    assert figures["lost"] == pytest.approx(0.25)
    assert figures["rate"] == pytest.approx(0.75 * 30 * 8 * BYTES)


def samples(*counts):
    """A sample for each {group: value of a counter}."""
    return [Sample(at, 0, Metrics("".join(f'frames{{group="{group}"}} {value}\n'
                                        for group, value in groups.items())))
            for at, groups in enumerate(counts)]


def test_a_counter_grows_from_the_first_look_on():
    assert audience.growth(samples({0: 10}, {0: 12}, {0: 15}), "frames") == 5


def test_groups_that_open_and_close_count():
    assert audience.growth(samples({0: 10}, {0: 11, 1: 3}, {0: 12}), "frames") == 5


def test_a_new_group_with_the_number_of_a_closed_one_counts_from_zero():
    assert audience.growth(samples({0: 10}, {0: 4}), "frames") == 4


def test_medians_are_of_each_number():
    runs = [{"a": 1, "b": {"c": 5}}, {"a": 3, "b": {"c": 4}}, {"a": 2, "b": {"c": 9}}]
    assert audience.medians(runs) == {"a": 2, "b": {"c": 5}}
