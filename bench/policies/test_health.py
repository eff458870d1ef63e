"""What the machine's lateness is read from, and what is complained of."""

import pytest

from bench.policies import health
from netlab.daemon import Metrics

STREAM = """\
symcast_group_frames_total{{stream="{name}",group="0"}} 900
symcast_group_frames_skipped_total{{stream="{name}",group="0"}} 300
symcast_group_frames_decimated_total{{stream="{name}",group="0"}} 300
"""
LATE = """\
symcast_group_frames_late_total{{stream="{name}",group="0"}} {late}
"""


def metrics(**late):
    """`late`: {stream: pictures}"""
    return Metrics("".join((STREAM + LATE).format(name=name, late=count)
                           for name, count in late.items()))


def test_pictures_that_a_policy_skips_are_not_late():
    assert health.late_pictures(metrics(a=0)) == 0


def test_pictures_that_an_encoder_was_late_for_are():
    assert health.late_pictures(metrics(a=100)) == pytest.approx(0.1)


def test_the_latest_encoder_counts():
    assert health.late_pictures(metrics(a=100, b=0, c=0)) == pytest.approx(0.1)


def test_a_server_that_does_not_count_them_is_not_taken_for_one_that_keeps_up():
    with pytest.raises(RuntimeError):
        health.late_pictures(Metrics(STREAM.format(name="a")))


def test_a_server_without_a_group_is_not_late():
    assert health.late_pictures(Metrics("")) == 0


def link(late=0, write_failures=0):
    return {"down": {"late": late, "packets_out": 100, "write_failures": write_failures},
            "up": {"late": 0, "packets_out": 100, "write_failures": 0}}


def test_a_shared_link_has_one_direction_and_writes_nothing():
    shared = {"down": {"late": 50, "packets_out": 100}}
    assert health.late_packets(shared) == 0.5
    with health.Health() as found:
        found.finish([link(), shared])
    assert any("late with 50" in complaint for complaint in found.complaints())


def complaints(monkeypatch, woken_late=0.0, behind=0.0, late_pictures=0, lost=0, **worst_link):
    monkeypatch.setattr(health.WakeupWatch, "stop", lambda self: woken_late)
    monkeypatch.setattr(health.WakeupWatch, "_run", lambda self: None)
    seen = metrics(a=late_pictures, b=0)
    seen.samples.append(("symcast_packets_lost_in_handover_total", {}, lost))
    with health.Health() as found:
        found.acted(behind)
        found.finish([link(), link(**worst_link), link()], seen)
    return found.complaints()


def test_of_a_machine_that_keeps_up_there_is_no_complaint(monkeypatch):
    assert complaints(monkeypatch, woken_late=0.02, behind=0.05, late_pictures=4, late=2) == []


@pytest.mark.parametrize("what, found", [
    ({"late_pictures": 5}, "encoders were late for 0.6% of the pictures"),
    ({"lost": 2}, "2 packets lost between encoder and event loop"),
    ({"late": 3}, "the emulator was late with 1.5% of the packets"),
    ({"write_failures": 1}, "the emulator could not write 1 packets"),
    ({"woken_late": 0.021}, "threads woke up 21 ms late"),
    ({"behind": 0.06}, "a change of the link came 0.06 s late")])
def test_each_complaint_is_of_the_worst(monkeypatch, what, found):
    assert complaints(monkeypatch, **what) == [found]
