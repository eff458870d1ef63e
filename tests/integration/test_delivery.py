"""The server's delivery times against the receiver's record, and its estimate of the path's capacity
against the kernel's delivery rate: a stream of 2 Mbit/s over 5 Mbit/s."""

import statistics

import pytest

from netlab.delivery_run import PAYLOAD, Path, delivery_run
from netlab.timeline import percentile

ONE_WAY_MS = 25
CLEAN, LOSSY = PATHS = Path(), Path(loss=0.02)


@pytest.fixture(scope="module")
def seen(tmp_path_factory, needs_lab):
    return delivery_run(tmp_path_factory.mktemp("delivery"), PATHS, ONE_WAY_MS, seconds=10)


@pytest.mark.parametrize("path", PATHS)
def test_delivery_time_is_arrival_plus_the_way_back(seen, path):
    errors = seen[path].errors["timestamp"]
    assert len(errors) > 100
    assert abs(percentile(errors, 50)) < 0.002, "the emulated links add 0.3 ms at p50"
    assert percentile(errors, 5) > -0.005
    assert percentile(errors, 95) < 0.01


@pytest.mark.parametrize("path", PATHS)
def test_every_frame_is_timed_by_its_own_ack(seen, path):
    assert not seen[path].errors["tcp_info"]


def test_packet_trains_measure_the_links_capacity(seen):
    capacities = seen[CLEAN].capacities
    assert len(capacities) > 100
    for percent in (10, 50, 90):
        assert percentile(capacities, percent) == pytest.approx(PAYLOAD, rel=0.1)


def test_the_kernels_delivery_rate_is_not_the_capacity(seen):
    assert statistics.median(seen[CLEAN].delivery_rates) < 0.9 * PAYLOAD
