"""How lateness of the machine is measured, and when it is a complaint."""

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
    """`late`: {stream: late frames}"""
    return Metrics("".join((STREAM + LATE).format(name=name, late=count)
                           for name, count in late.items()))


def test_frames_that_a_policy_skips_are_not_late():
    assert health.late_frames(metrics(a=0)) == 0


def test_frames_that_an_encoder_was_late_for_are_late():
    assert health.late_frames(metrics(a=100)) == pytest.approx(0.1)


def test_the_stream_with_the_latest_encoder_counts():
    assert health.late_frames(metrics(a=100, b=0, c=0)) == pytest.approx(0.1)


def test_a_server_without_the_late_metric_is_an_error():
    with pytest.raises(RuntimeError):
        health.late_frames(Metrics(STREAM.format(name="a")))


def test_a_server_without_a_group_is_not_late():
    assert health.late_frames(Metrics("")) == 0


def link(late=0, write_failures=0):
    return {"down": {"late": late, "packets_out": 100, "write_failures": write_failures},
            "up": {"late": 0, "packets_out": 100, "write_failures": 0}}


def test_a_shared_link_has_one_direction_and_no_write_failures():
    shared = {"down": {"late": 50, "packets_out": 100}}
    assert health.late_packets(shared) == 0.5
    with health.Health() as found:
        found.finish([link(), shared])
    assert any("late with 50" in complaint for complaint in found.complaints())


def complaints(monkeypatch, woken_late=0.0, behind=0.0, late_frames=0, lost=0, **worst_link):
    monkeypatch.setattr(health.WakeupWatch, "stop", lambda self: woken_late)
    monkeypatch.setattr(health.WakeupWatch, "_run", lambda self: None)
    seen = metrics(a=late_frames, b=0)
    seen.samples.append(("symcast_packets_lost_in_handover_total", {}, lost))
    with health.Health() as found:
        found.acted(behind)
        found.finish([link(), link(**worst_link), link()], seen)
    return found.complaints()


def test_there_is_no_complaint_if_the_machine_keeps_up(monkeypatch):
    assert complaints(monkeypatch, woken_late=0.02, behind=0.05, late_frames=4, late=2) == []


@pytest.mark.parametrize("what, found", [
    ({"late_frames": 5}, "encoders were late for 0.6% of the frames"),
    ({"lost": 2}, "2 packets lost between encoder and event loop"),
    ({"late": 3}, "the emulator was late with 1.5% of the packets"),
    ({"write_failures": 1}, "the emulator could not write 1 packets"),
    ({"woken_late": 0.021}, "threads woke up 21 ms late"),
    ({"behind": 0.06}, "a change of the link came 0.06 s late")])
def test_each_complaint_reports_the_worst_stream_or_link(monkeypatch, what, found):
    assert complaints(monkeypatch, **what) == [found]
