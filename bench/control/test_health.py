"""What the machine's lateness is read from."""

import health
import pytest
from daemon import Metrics

GROUPS = """\
symcast_group_frames_total{{stream="a",group="0"}} 900
symcast_group_frames_skipped_total{{stream="a",group="0"}} 300
symcast_group_frames_left_out_total{{stream="a",group="0"}} 300
{late}"""


def metrics(late):
    return Metrics(GROUPS.format(late=late))


def test_pictures_that_a_policy_skips_are_not_late():
    found = metrics('symcast_group_frames_late_total{stream="a",group="0"} 0')
    assert health.late_pictures(found) == 0


def test_pictures_that_an_encoder_was_late_for_are():
    found = metrics('symcast_group_frames_late_total{stream="a",group="0"} 100')
    assert health.late_pictures(found) == pytest.approx(0.1)


def test_a_server_that_does_not_count_them_is_not_taken_for_one_that_keeps_up():
    with pytest.raises(RuntimeError):
        health.late_pictures(metrics(""))


def test_a_server_without_a_group_is_not_late():
    assert health.late_pictures(Metrics("")) == 0
