"""The server's delivery times against the receiver's record, and its estimate of the path's capacity:
a stream of 2 Mbit/s over 5 Mbit/s. bench/delivery measures how exact both are."""

import re

import pytest

from netlab.daemon import wait_until
from netlab.delivery_run import LINK, PAYLOAD, DeliveryRun, Path

ONE_WAY_MS = 25
CLEAN, LOSSY = PATHS = Path(), Path(loss=0.02)
PATIENCE = 60  # seconds
CLOCKS = 0.001  # seconds; the kernel's time stamps are of another clock, whose offset the server reads


def wait_for_frames(run, count):
    wait_until(lambda: all(len(viewer.pictures()) >= count for viewer in run.viewers.values()),
               PATIENCE, "frames arrive")


@pytest.fixture(scope="module")
def seen(tmp_path_factory, needs_lab):
    with DeliveryRun(tmp_path_factory.mktemp("delivery"), PATHS, ONE_WAY_MS) as run:
        wait_for_frames(run, 30)
        address = run.lab.clients[PATHS.index(CLEAN)].address
        joined = rf"viewer_joined viewer=(\d+) .* address={re.escape(address)} "
        viewer = re.search(joined, run.daemon.log()).group(1)

        def capacity(metrics):
            return metrics.sum("symcast_viewer_capacity_bits_per_second", viewer=viewer)

        run.widen()
        run.daemon.wait_for(lambda m: capacity(m) == pytest.approx(PAYLOAD, rel=0.1), PATIENCE,
                            "packet trains show the link's capacity")
        run.lab.set(down_rate=int(0.7 * LINK))
        run.daemon.wait_for(lambda m: capacity(m) == pytest.approx(0.7 * PAYLOAD, rel=0.1), PATIENCE,
                            "packet trains show that the link carries less")
        wait_for_frames(run, 60)
        return run.finish()


@pytest.mark.parametrize("path", PATHS)
def test_every_frame_is_timed_by_its_own_ack(seen, path):
    """Frames that are written together have one ACK: a busy machine sends two at a time."""
    frames = seen[path].frames
    assert sum(frame["acked_source"] == "timestamp" for frame in frames) > 30
    for frame, following in zip(frames, frames[1:]):
        assert frame["acked_source"] == "timestamp" or frame["departed"] == following["departed"]


@pytest.mark.parametrize("path", PATHS)
def test_no_frame_is_delivered_before_it_can_be(seen, path):
    """A busy machine may stop the server between a write and its reading of the clock, so that only the time
    of capture is surely before the departure."""
    for frame in seen[path].frames:
        assert frame["acked"] >= frame["captured"] + 2 * ONE_WAY_MS / 1000 - CLOCKS


@pytest.mark.parametrize("path", PATHS)
def test_frames_are_delivered_in_their_order(seen, path):
    times = [frame["acked"] for frame in seen[path].frames if frame["acked_source"] == "timestamp"]
    assert all(later >= earlier - CLOCKS for earlier, later in zip(times, times[1:]))


@pytest.mark.parametrize("path", PATHS)
def test_delivery_time_is_arrival_plus_the_way_back(seen, path):
    """A busy machine delays the viewer or the ACK, but not for nearly all frames. ACKs of two frames are a
    frame interval apart, 33 ms."""
    errors = seen[path].errors["timestamp"]
    assert sum(abs(error) < 0.01 for error in errors) > len(errors) / 10
